import { describe, expect, it } from 'vitest';
import type { Change, Preview } from '../../../api/schema';
import { isIrreversible, partsOf } from './preview-parts';

function change(name: string, more: Partial<Change> = {}): Change {
  return { action: 'delete', resource: 'S3 bucket', name, reason: 'of the stack', irreversible: false, ...more };
}

function preview(...changes: Change[]): Preview {
  const cost = { per_hour: -1, as_of: '2026-01-01', currency: 'USD' };
  return { kind: 'delete_cluster', cluster_tag: 'demo', changes, cost, unpriced: [] };
}

describe('a preview', () => {
  it('cannot be undone as soon as one change cannot', () => {
    expect(isIrreversible(preview(change('a')))).toBe(false);
    expect(isIrreversible(preview(change('a'), change('b', { irreversible: true })))).toBe(true);
  });

  it('has what is kept apart, without the cost of the rest', () => {
    const { done, kept } = partsOf(preview(change('a'), change('b', { action: 'keep' })));
    expect(done.changes.map(({ name }) => name)).toEqual(['a']);
    expect(kept.changes.map(({ name }) => name)).toEqual(['b']);
    expect([done.cost?.per_hour, kept.cost]).toEqual([-1, null]);
  });
});
