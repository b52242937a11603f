import { expect, it } from 'vitest';
import { operation } from '../../live/operations.fixture';
import { unsolved } from './unsolved';

it('forgets a failure that a later operation of its kind made good, and no other', () => {
  const listed = [
    operation(1, { operation_id: 'd', status: 'SUCCEEDED' }),
    operation(1, { operation_id: 'c', status: 'FAILED', cluster_tag: 'second' }),
    operation(1, { operation_id: 'b', status: 'FAILED', kind: 'upgrade_cluster' }),
    operation(1, { operation_id: 'a', status: 'FAILED' }),
  ];
  expect(unsolved(listed).map(({ operation_id }) => operation_id)).toEqual(['c', 'b']);
});

it.each(['PENDING', 'RUNNING', 'CANCELLING', 'CANCELLED'] as const)(
  'does not take a later operation for the remedy while it is %s',
  (status) => {
    const listed = [operation(1, { operation_id: 'b', status }), operation(1, { operation_id: 'a', status: 'FAILED' })];
    expect(unsolved(listed).map(({ operation_id }) => operation_id)).toEqual(['a']);
  },
);

it.each(['delete_cluster', 'forget_cluster'])('forgets with a cluster what failed before %s', (kind) => {
  const listed = [
    operation(1, { operation_id: 'd', status: 'FAILED' }),
    operation(1, { operation_id: 'c', status: 'SUCCEEDED', kind }),
    operation(1, { operation_id: 'b', status: 'FAILED', kind: 'upgrade_cluster' }),
    operation(1, { operation_id: 'a', status: 'FAILED', cluster_tag: 'second' }),
  ];
  expect(unsolved(listed).map(({ operation_id }) => operation_id)).toEqual(['d', 'a']);
});

it('tells the latest of several failures of a kind', () => {
  const listed = ['b', 'a'].map((operation_id) => operation(1, { operation_id, status: 'FAILED' }));
  expect(unsolved(listed).map(({ operation_id }) => operation_id)).toEqual(['b']);
});
