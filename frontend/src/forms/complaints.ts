import type { Complaint } from '../api/problems';
import type { Finding } from '../api/schema';

const UNCHECKED = 'unchecked: ';

/** Complaints in the shape of findings, for what takes those to their fields. */
export function asFindings(complaints: readonly Complaint[]): Finding[] {
  return complaints.map(({ field, message, allowed, remedy }) => ({
    check: 'request',
    level: 'error',
    field,
    message,
    allowed: allowed ? [...allowed] : null,
    remedy: remedy ?? null,
  }));
}

/** What was found out, and the checks that did not come to an end. */
export function partedByChecked(findings: readonly Finding[]): { checked: Finding[]; unchecked: Finding[] } {
  const checked = findings.filter(({ message }) => !message.startsWith(UNCHECKED));
  return { checked, unchecked: findings.filter((finding) => !checked.includes(finding)) };
}

/** Why a check did not come to an end. */
export function whyUnchecked({ message }: Finding): string {
  return message.slice(UNCHECKED.length);
}

/** What is told of a tag that was made up: the review says it in words for people. */
export function isMadeUpTag({ check, level }: Finding): boolean {
  return check === 'tag' && level === 'info';
}
