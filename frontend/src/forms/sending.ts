/** What a person left alone, or took back, is not sent. */
export function sent(text: string | undefined): string | undefined {
  const kept = text?.trim();
  return kept ? kept : undefined;
}

/** A number as it is sent; what cannot be read as one goes as it was typed, for the server to say what is wrong. */
export function number(text: string | undefined): number | undefined {
  const kept = sent(text);
  if (kept === undefined) {
    return undefined;
  }
  const read = Number(kept);
  return Number.isNaN(read) ? (kept as unknown as number) : read;
}

/** Several values, parted by commas or blanks; undefined for none. */
export function listed(text: string | undefined): string[] | undefined {
  const values = (text ?? '').split(/[\s,]+/).filter(Boolean);
  return values.length > 0 ? values : undefined;
}

export interface Pair {
  key: string;
  value: string;
}

/** Rows of keys and values as an object; rows left empty are none. */
export function named(pairs: readonly Pair[] | undefined): Record<string, string> | undefined {
  const rows = (pairs ?? []).filter(({ key, value }) => key.trim() || value.trim());
  return rows.length > 0 ? Object.fromEntries(rows.map(({ key, value }) => [key.trim(), value.trim()])) : undefined;
}

/** A body without what is undefined; undefined itself when nothing is left. */
export function touched<Body extends object>(body: Body): Body | undefined {
  const kept = Object.entries(body).filter(([, value]) => value !== undefined);
  return kept.length > 0 ? (Object.fromEntries(kept) as Body) : undefined;
}
