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
