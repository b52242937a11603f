import type { Change, Preview } from '../api/schema';

export interface Difference {
  kind: 'new' | 'gone' | 'other';
  change: Change;
  /** What was said before of one that is another now. */
  before?: Change;
}

/** What a preview says that an earlier one of the same request did not, and what it says no more. */
export function differences(before: Preview, after: Preview): Difference[] {
  const earlier = new Map(before.changes.map((change) => [subject(change), change]));
  const found: Difference[] = [];
  for (const change of after.changes) {
    const was = earlier.get(subject(change));
    earlier.delete(subject(change));
    if (was === undefined) {
      found.push({ kind: 'new', change });
    } else if (was.action !== change.action || was.reason !== change.reason) {
      found.push({ kind: 'other', change, before: was });
    }
  }
  return [...found, ...[...earlier.values()].map((change): Difference => ({ kind: 'gone', change }))];
}

function subject({ resource, name, stage }: Change): string {
  return JSON.stringify([resource, name, stage ?? '']);
}
