/** A filter of a list: its name is the API's, so that an address of this page reads like one of the API. */
export interface Property {
  key: string;
  label: string;
  plural: string;
  /** What may be chosen; whatever else is typed is for the API to judge. */
  options: readonly { value: string; label?: string }[];
}

interface Token {
  propertyKey?: string;
  operator: string;
  value: unknown;
}

/** Read the filters that an address names, of those that a list has. */
export function filtersIn<Name extends string>(search: URLSearchParams, names: readonly Name[]) {
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = search.get(name);
    if (value) {
      found[name] = value;
    }
  }
  return found;
}

/** Give the address's filters as the filter bar shows them. */
export function tokensOf(search: URLSearchParams, properties: readonly Property[]): Token[] {
  return properties.flatMap(({ key }) => {
    const value = search.get(key);
    return value ? [{ propertyKey: key, operator: '=', value }] : [];
  });
}

/** Put what the filter bar holds into an address; a list takes one value of each, so the last one counts. */
export function searchOf(
  before: URLSearchParams,
  properties: readonly Property[],
  tokens: readonly Token[],
): URLSearchParams {
  const after = new URLSearchParams(before);
  for (const { key } of properties) {
    const last = tokens.filter((token) => token.propertyKey === key).at(-1);
    put(after, key, last ? String(last.value).trim() : '');
  }
  return after;
}

/** Put a time range into an address: from the first instant to the one after the last. */
export function spanned(before: URLSearchParams, range: { from: string; to: string } | null): URLSearchParams {
  const after = new URLSearchParams(before);
  put(after, 'from', range?.from ?? '');
  put(after, 'to', range?.to ?? '');
  return after;
}

const SECONDS: Readonly<Record<string, number>> = {
  second: 1,
  minute: 60,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
  month: 2_592_000,
  year: 31_536_000,
};

/** The instant so and so many units ago, as the API writes one. */
export function ago(amount: number, unit: string, now: number): string {
  return new Date(now - amount * (SECONDS[unit] ?? 1) * 1_000).toISOString();
}

function put(search: URLSearchParams, name: string, value: string): void {
  value === '' ? search.delete(name) : search.set(name, value);
}
