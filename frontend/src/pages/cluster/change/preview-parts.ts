import type { Preview } from '../../../api/schema';

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
