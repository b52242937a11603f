import { QueryClient } from '@tanstack/react-query';
import { beforeEach, expect, it } from 'vitest';
import { keys } from '../api/keys';
import type { Operation } from '../api/schema';
import { mend, merge, versionIn } from './merge';
import type { Message } from './messages';
import { operation, stage } from './operations.fixture';

let cache: QueryClient;
beforeEach(() => {
  cache = new QueryClient();
});

const told = (each: Operation): Message => ({
  type: 'operation',
  operation_id: each.operation_id,
  version: each.version,
  operation: each,
});
const listKey = keys.operations.list({});
const list = (...operations: Operation[]) => ({ pages: [{ operations, next_token: null }], pageParams: [undefined] });
const isStale = (key: readonly unknown[]) => cache.getQueryState(key)?.isInvalidated ?? false;

it('keeps the newest version of an operation, whatever comes late or twice', () => {
  merge(cache, told(operation(5)));
  merge(cache, told(operation(4, { status: 'PENDING' })));
  merge(cache, told(operation(5)));
  expect(versionIn(cache, 'op-1')).toBe(5);
  merge(cache, told(operation(6, { status: 'SUCCEEDED' })));
  expect(cache.getQueryData<Operation>(keys.operations.one('op-1'))?.status).toBe('SUCCEEDED');
});

it('brings a list up to date in its place', () => {
  cache.setQueryData(listKey, list(operation(9, { operation_id: 'op-2' }), operation(1)));
  merge(cache, told(operation(2, { reason: 'WAITING_NODES' })));
  const pages = cache.getQueryData<ReturnType<typeof list>>(listKey)?.pages;
  expect(pages?.[0]?.operations.map(({ operation_id, version }) => [operation_id, version])).toEqual([
    ['op-2', 9],
    ['op-1', 2],
  ]);
  expect(isStale(listKey)).toBe(false);
});

it('asks the API which lists an operation is of that is new or has another status', () => {
  cache.setQueryData(listKey, list());
  merge(cache, told(operation(1)));
  expect(isStale(listKey)).toBe(true);
  cache.setQueryData(listKey, list(operation(1)));
  merge(cache, told(operation(2, { status: 'FAILED' })));
  expect(isStale(listKey)).toBe(true);
});

it('does not take a list, which tells no stages, for the operation itself', () => {
  cache.setQueryData(keys.operations.one('op-1'), operation(1));
  cache.setQueryData(listKey, list(operation(3, { stages: [] })));
  merge(cache, told(operation(3)));
  expect(versionIn(cache, 'op-1')).toBe(3);
});

it('looks at a cluster again when a stage of it ends, and not for each word of one', () => {
  const cluster = keys.clusters.one('first');
  cache.setQueryData(keys.operations.one('op-1'), operation(1));
  cache.setQueryData(cluster, {});
  merge(cache, told(operation(2, { stages: [stage(10, 'RUNNING', { message: '2/3 nodes' })] })));
  expect(isStale(cluster)).toBe(false);
  merge(cache, told(operation(3, { stages: [stage(10, 'SUCCEEDED')] })));
  expect(isStale(cluster)).toBe(true);
});

it('reads an operation that was too large to be sent', () => {
  cache.setQueryData(keys.operations.one('op-1'), operation(1));
  merge(cache, { type: 'operation', operation_id: 'op-1', version: 2, operation: null });
  expect(isStale(keys.operations.one('op-1'))).toBe(true);
});

it('reads a cluster’s events again, whatever they are filtered by, and the conditions that follow from them', () => {
  const events = keys.clusters.part('first', 'events', { limit: 5 });
  const others = keys.clusters.part('second', 'events');
  cache.setQueryData(events, []);
  cache.setQueryData(others, []);
  const [cluster, clusters] = [keys.clusters.one('first'), keys.clusters.list({})];
  const drift = keys.clusters.part('first', 'drift');
  for (const key of [cluster, clusters, drift]) {
    cache.setQueryData(key, {});
  }
  const event = {
    event_id: 'e',
    cluster_tag: 'first',
    at: '2026-01-01T09:00:00Z',
    recorded_at: '2026-01-01T09:00:00Z',
    kind: 'event' as const,
    level: 'info',
    message: 'm',
    cause: null,
    instance_group: null,
    instance_id: null,
    resource_type: 'cluster',
  };
  merge(cache, { type: 'cluster_event', event });
  expect([isStale(events), isStale(others)]).toEqual([true, false]);
  expect([cluster, clusters, drift].map(isStale)).toEqual([true, true, false]);
});

it('mends what is shown of a topic, and only that', () => {
  for (const key of [keys.operations.one('op-1'), keys.clusters.one('first'), keys.clusters.one('second')]) {
    cache.setQueryData(key, {});
  }
  mend(cache, { cluster_tag: 'first' });
  expect([isStale(keys.clusters.one('first')), isStale(keys.clusters.one('second'))]).toEqual([true, false]);
  expect(isStale(keys.operations.one('op-1'))).toBe(true);
});
