import { describe, expect, it } from 'vitest';
import type { Change, Preview } from '../../../api/schema';
import { differenceOf, isIrreversible, partsOf } from './preview-difference';

function change(name: string, more: Partial<Change> = {}): Change {
  return { action: 'delete', resource: 'S3 bucket', name, reason: 'of the stack', irreversible: false, ...more };
}

function preview(...changes: Change[]): Preview {
  const cost = { per_hour: -1, as_of: '2026-01-01', currency: 'USD' };
  return { kind: 'delete_cluster', cluster_tag: 'demo', changes, cost, unpriced: [] };
}

describe('the difference of two previews', () => {
  it('is empty when the same would happen, at whatever price', () => {
    const priced = change('a', { cost: { per_hour: 2, as_of: '2026-01-02', currency: 'USD' } });
    expect(differenceOf(preview(change('a')), preview(priced))).toEqual({ appeared: [], gone: [] });
  });

  it('names what came and what went', () => {
    const { appeared, gone } = differenceOf(preview(change('a'), change('b')), preview(change('b'), change('c')));
    expect([appeared, gone].map((each) => each.map(({ name }) => name))).toEqual([['c'], ['a']]);
  });

  it('takes what can no longer be undone for another change', () => {
    const { appeared } = differenceOf(preview(change('a')), preview(change('a', { irreversible: true })));
    expect(appeared).toHaveLength(1);
  });
});

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
