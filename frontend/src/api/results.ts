import type { Finding, Operation } from './schema';

/** What was noticed about an operation: about its request, and by the last look at what came of it; each thing once. */
export function findingsOf({ findings = [], result }: Pick<Operation, 'findings' | 'result'>): Finding[] {
  const seen = Array.isArray(result?.findings) ? result.findings.filter(isFinding) : [];
  const told = findings.map(({ check, message }) => `${check} ${message}`);
  return [...findings, ...seen.filter(({ check, message }) => !told.includes(`${check} ${message}`))];
}

/** A result is whatever its stages say; a finding has at least these. */
function isFinding(value: unknown): value is Finding {
  const told = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  return [told.check, told.level, told.message].every((each) => typeof each === 'string');
}
