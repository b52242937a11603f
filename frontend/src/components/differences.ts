import type { Change, Preview } from '../api/schema';

export interface Difference {
  kind: 'new' | 'gone' | 'other';
  change: Change;
  /** What was said before of one that is another now. */
  before?: Change;
}

/** What a preview says that an earlier one of the same request did not, and what it says no more; costs aside. */
export function differences(before: Preview, after: Preview): Difference[] {
  const earlier = without(before.changes, after.changes);
  const found = without(after.changes, before.changes).map((change): Difference => {
    const place = earlier.findIndex((each) => subject(each) === subject(change));
    const [was] = place < 0 ? [] : earlier.splice(place, 1);
    return was ? { kind: 'other', change, before: was } : { kind: 'new', change };
  });
  return [...found, ...earlier.map((change): Difference => ({ kind: 'gone', change }))];
}

/** The changes that others do not have; one that is there twice is taken away once for each time it is there. */
function without(changes: readonly Change[], others: readonly Change[]): Change[] {
  const counts = new Map<string, number>();
  for (const other of others) {
    counts.set(identity(other), (counts.get(identity(other)) ?? 0) + 1);
  }
  return changes.filter((change) => {
    const left = counts.get(identity(change)) ?? 0;
    counts.set(identity(change), left - 1);
    return left <= 0;
  });
}

function subject({ resource, name, stage }: Change): string {
  return JSON.stringify([resource, name, stage ?? '']);
}

function identity(change: Change): string {
  const { action, reason, irreversible } = change;
  return JSON.stringify([subject(change), action, reason, irreversible === true]);
}
