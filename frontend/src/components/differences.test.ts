import { expect, test } from 'vitest';
import type { Change, Preview } from '../api/schema';
import { differences } from './differences';

const change = (name: string, more: Partial<Change> = {}): Change => ({
  action: 'create',
  resource: 'VPC',
  name,
  reason: 'the own network',
  irreversible: false,
  ...more,
});
const preview = (...changes: Change[]): Preview => ({
  kind: 'create_cluster',
  cluster_tag: 'lab',
  changes,
  unpriced: [],
});

test('the same changes differ in nothing, whatever they cost', () => {
  const cost = { currency: 'USD', per_hour: 1, as_of: '2026-11-29' };
  expect(differences(preview(change('a')), preview(change('a', { cost })))).toEqual([]);
});

test('what is new, what is other and what is no more is told, each with what was said before', () => {
  const found = differences(preview(change('a'), change('b')), preview(change('a', { action: 'adopt' }), change('c')));
  expect(found).toEqual([
    { kind: 'other', change: change('a', { action: 'adopt' }), before: change('a') },
    { kind: 'new', change: change('c') },
    { kind: 'gone', change: change('b') },
  ]);
});

test('what can no longer be undone is another change', () => {
  const found = differences(preview(change('a')), preview(change('a', { irreversible: true })));
  expect(found).toEqual([{ kind: 'other', change: change('a', { irreversible: true }), before: change('a') }]);
});

test('several changes of one thing in one stage are told apart', () => {
  const [made, tagged] = [change('a'), change('a', { action: 'change', reason: 'the tags' })];
  expect(differences(preview(made, tagged), preview(tagged, made))).toEqual([]);
  expect(differences(preview(made, tagged), preview(made))).toEqual([{ kind: 'gone', change: tagged }]);
  expect(differences(preview(made), preview(made, made))).toEqual([{ kind: 'new', change: made }]);
});
