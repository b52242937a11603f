/** The name of a field within a part of a request; the part is empty for the request itself. */
export function within(part: string, field: string): string {
  return part === '' ? field : `${part}.${field}`;
}

/**
 * Ties fields of a form to the draft of a part of a request: `<TextField {...of('vpc_cidr')} label="VPC" />`.
 *
 * A field that the API calls otherwise than the draft has the API's name beside its own.
 */
export function bound<Draft extends object>(draft: Draft, onChange: (changed: Partial<Draft>) => void, part = '') {
  return <Name extends keyof Draft & string>(name: Name, field: string = name) => ({
    field: within(part, field),
    value: draft[name],
    onChange: (value: Draft[Name]) => onChange({ [name]: value } as unknown as Partial<Draft>),
  });
}
