import { expect, it } from 'vitest';
import { operation } from '../live/operations.fixture';
import { belongs, type Listed, operationsIn, placed } from './operation-lists';
import type { Operation } from './schema';

const at = (minute: number, more: Partial<Operation> = {}): Operation =>
  operation(1, { operation_id: `op-${minute}`, created_at: `2026-01-01T09:0${minute}:00Z`, ...more });
const listed = (pages: Operation[][], next_token: string | null = null): Listed => ({
  pages: pages.map((operations, index) => ({
    operations,
    next_token: index === pages.length - 1 ? next_token : 'more',
  })),
  pageParams: pages.map(() => undefined),
});
const ids = (list: Listed | null) => list?.pages.map((page) => page.operations.map((each) => each.operation_id));

it('has an operation that every filter takes, and an empty one takes all', () => {
  const told = operation(1, { cluster_tag: 'first', status: 'RUNNING', kind: 'create_cluster' });
  expect(belongs({}, told)).toBe(true);
  expect(belongs({ cluster_tag: 'first', status: 'RUNNING', kind: null }, told)).toBe(true);
  expect(belongs({ cluster_tag: 'first', status: 'FAILED' }, told)).toBe(false);
  expect(belongs({ kind: 'delete_cluster' }, told)).toBe(false);
});

it.each<[string, Operation, string[][]]>([
  ['the newest first', at(9), [['op-9', 'op-8', 'op-6'], ['op-4']]],
  ['between two of a page', at(7), [['op-8', 'op-7', 'op-6'], ['op-4']]],
  [
    'at the border of two pages',
    at(5),
    [
      ['op-8', 'op-6'],
      ['op-5', 'op-4'],
    ],
  ],
  [
    'the oldest last',
    at(3),
    [
      ['op-8', 'op-6'],
      ['op-4', 'op-3'],
    ],
  ],
])('puts what is new by its age: %s', (_, told, expected) => {
  expect(ids(placed(listed([[at(8), at(6)], [at(4)]]), {}, told))).toEqual(expected);
});

it('tells those of one moment apart by their ids, as the API does', () => {
  const list = listed([[at(5, { operation_id: 'c' }), at(5, { operation_id: 'a' })]]);
  expect(ids(placed(list, {}, at(5, { operation_id: 'b' })))).toEqual([['c', 'b', 'a']]);
});

it('leaves out what is older than all that was read, and asks where nothing was found so far', () => {
  const list = listed([[at(8), at(6)]], 'more');
  expect(placed(list, {}, at(3))).toBe(list);
  expect(placed(listed([[]], 'more'), {}, at(9))).toBeNull();
  expect(ids(placed(listed([[]]), {}, at(9)))).toEqual([['op-9']]);
});

it('replaces an older version in its place, and leaves a newer one', () => {
  const list = listed([[at(8), at(6, { version: 4 })]]);
  const after = placed(list, {}, at(6, { version: 5, status: 'FAILED' }));
  expect(after && operationsIn(after).map(({ version, status }) => [version, status])).toEqual([
    [1, 'RUNNING'],
    [5, 'FAILED'],
  ]);
  expect(placed(list, {}, at(6, { version: 3 }))).toBe(list);
  expect(placed(list, {}, at(6, { version: 4 }))).toBe(list);
});

it('takes out what the filters do not take any more, and never takes in what they do not', () => {
  const list = listed([[at(8), at(6)]]);
  const ended = { version: 2, status: 'SUCCEEDED' as const };
  expect(ids(placed(list, { status: 'RUNNING' }, at(6, ended)))).toEqual([['op-8']]);
  expect(placed(list, { status: 'RUNNING' }, at(9, ended))).toBe(list);
});
