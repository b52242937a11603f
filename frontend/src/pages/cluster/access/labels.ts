export interface LabelRow {
  key: string;
  value: string;
}

/** The labels in the rows of a form; undefined where none was filled in. */
export function labelsOf(rows: readonly LabelRow[]): Record<string, string> | undefined {
  const filled = rows.filter(({ key, value }) => key !== '' || value !== '');
  return filled.length > 0 ? Object.fromEntries(filled.map(({ key, value }) => [key, value])) : undefined;
}
