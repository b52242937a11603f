import type { Finding, Operation } from './schema';

/** What was noticed about an operation: about its request, and by the last look at what came of it; each thing once. */
export function findingsOf({ findings = [], result }: Pick<Operation, 'findings' | 'result'>): Finding[] {
  const seen = Array.isArray(result?.findings) ? result.findings.filter(isFinding) : [];
  const told = findings.map(thingOf);
  return [...findings, ...seen.filter((finding) => !told.includes(thingOf(finding)))];
}

function thingOf({ check, field, resource, message }: Finding): string {
  return JSON.stringify([check, field ?? null, resource ?? null, message]);
}

/** A result is whatever its stages say; a finding has at least these. */
function isFinding(value: unknown): value is Finding {
  const told = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  return [told.check, told.level, told.message].every((each) => typeof each === 'string');
}
