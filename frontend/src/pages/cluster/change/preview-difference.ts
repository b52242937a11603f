import type { Change, Preview } from '../../../api/schema';

export interface Difference {
  /** What would happen now, and was not in the earlier preview. */
  appeared: readonly Change[];
  /** What the earlier preview had, and would not happen any more. */
  gone: readonly Change[];
}

/** What two previews of the same request differ in; a change for another reason or at another cost is another one. */
export function differenceOf(earlier: Preview, now: Preview): Difference {
  return { appeared: without(now.changes, earlier.changes), gone: without(earlier.changes, now.changes) };
}

/** Whether something of a preview cannot be undone. */
export function isIrreversible(preview: Preview): boolean {
  return preview.changes.some(({ irreversible }) => irreversible === true);
}

/** A preview in two: what happens, and what is left alone though one may fear for it. */
export function partsOf(preview: Preview): { done: Preview; kept: Preview } {
  const kept = preview.changes.filter(({ action }) => action === 'keep');
  const done = preview.changes.filter(({ action }) => action !== 'keep');
  return {
    done: { ...preview, changes: done },
    kept: { ...preview, changes: kept, cost: null, unpriced: [] },
  };
}

function without(changes: readonly Change[], others: readonly Change[]): Change[] {
  const known = new Set(others.map(identity));
  return changes.filter((change) => !known.has(identity(change)));
}

function identity({ action, resource, name, reason, irreversible }: Change): string {
  return JSON.stringify([action, resource, name, reason, irreversible === true]);
}
