import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { beforeEach, expect, it, vi } from 'vitest';
import { keys } from '../api/keys';
import type { Listed } from '../api/operation-lists';
import type { Operation } from '../api/schema';
import { mend, merge, versionIn } from './merge';
import type { Message } from './messages';
import { operation, stage } from './operations.fixture';
import type { Outdated } from './rereading';

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
const reread = (what: Outdated) => void cache.invalidateQueries(what);
const hear = (message: Message) => merge(cache, message, reread);
const listKey = keys.operations.list({});
const list = (...operations: Operation[]) => ({ pages: [{ operations, next_token: null }], pageParams: [undefined] });
const idsIn = (key: readonly unknown[]) =>
  cache.getQueryData<Listed>(key)?.pages.flatMap((page) => page.operations.map((each) => each.operation_id));
const isStale = (key: readonly unknown[]) => cache.getQueryState(key)?.isInvalidated ?? false;

it('keeps the newest version of an operation, whatever comes late or twice', () => {
  hear(told(operation(5)));
  hear(told(operation(4, { status: 'PENDING' })));
  hear(told(operation(5)));
  expect(versionIn(cache, 'op-1')).toBe(5);
  hear(told(operation(6, { status: 'SUCCEEDED' })));
  expect(cache.getQueryData<Operation>(keys.operations.one('op-1'))?.status).toBe('SUCCEEDED');
});

it('brings a list up to date in its place', () => {
  cache.setQueryData(listKey, list(operation(9, { operation_id: 'op-2' }), operation(1)));
  hear(told(operation(2, { reason: 'WAITING_NODES' })));
  const pages = cache.getQueryData<ReturnType<typeof list>>(listKey)?.pages;
  expect(pages?.[0]?.operations.map(({ operation_id, version }) => [operation_id, version])).toEqual([
    ['op-2', 9],
    ['op-1', 2],
  ]);
  expect(isStale(listKey)).toBe(false);
});

it('puts what somebody begins into the lists that it is of, and takes out what is of them no longer', () => {
  const running = keys.operations.list({ status: 'RUNNING' });
  const others = keys.operations.list({ cluster_tag: 'second' });
  for (const key of [listKey, running, others]) {
    cache.setQueryData(key, list());
  }
  hear(told(operation(1)));
  expect([listKey, running, others].map(idsIn)).toEqual([['op-1'], ['op-1'], []]);
  hear(told(operation(2, { status: 'FAILED' })));
  expect([listKey, running, others].map(idsIn)).toEqual([['op-1'], [], []]);
  // What the lists are is known: the API is not asked, however much is told.
  expect([listKey, running, others].map(isStale)).toEqual([false, false, false]);
});

it('puts what was begun here into the lists once it is told, though it is known by then', () => {
  cache.setQueryData(listKey, list());
  cache.setQueryData(keys.operations.one('op-1'), operation(1));
  hear(told(operation(1)));
  expect(idsIn(listKey)).toEqual(['op-1']);
});

it('does not bring a list back to what was told too late', () => {
  const running = keys.operations.list({ status: 'RUNNING' });
  cache.setQueryData(running, list());
  hear(told(operation(5, { status: 'SUCCEEDED' })));
  hear(told(operation(4)));
  expect(idsIn(running)).toEqual([]);
});

it('does not lose what is told while an older answer is on its way', async () => {
  let answer = (_: Listed) => {};
  const queryFn = () => new Promise<Listed>((resolve) => (answer = resolve));
  const reading = cache.fetchQuery({ queryKey: listKey, queryFn });
  hear(told(operation(1)));
  hear(told(operation(2, { operation_id: 'op-2' })));
  answer(list(operation(1, { operation_id: 'op-0' })));
  await reading;
  await Promise.resolve();
  expect(idsIn(listKey)).toEqual(['op-2', 'op-1', 'op-0']);
});

it('asks the API once for a list of which it cannot tell what it has, however that answers', async () => {
  const sought = keys.operations.list({ kind: 'create_cluster' });
  const nothing: Listed = { pages: [{ operations: [], next_token: 'more' }], pageParams: [undefined] };
  let asked = 0;
  const queryFn = () => {
    asked += 1;
    return new Promise<Listed>((resolve) => setTimeout(() => resolve(nothing)));
  };
  const stop = new QueryObserver(cache, {
    queryKey: sought,
    queryFn,
    initialData: nothing,
    staleTime: 60_000,
  }).subscribe(() => undefined);
  hear(told(operation(1)));
  await vi.waitFor(() => expect(cache.isFetching()).toBe(0));
  stop();
  expect(asked).toBe(1);
});

it('leaves a list as old as it was, and outdated where it is', () => {
  cache.setQueryData(listKey, list(), { updatedAt: 1_000 });
  reread({ queryKey: listKey });
  hear(told(operation(1)));
  expect([idsIn(listKey), isStale(listKey), cache.getQueryState(listKey)?.dataUpdatedAt]).toEqual([
    ['op-1'],
    true,
    1_000,
  ]);
});

it('leaves it to be seen that a list could not be read', async () => {
  const queryFn = () => Promise.reject(new Error('no answer'));
  cache.setQueryData(listKey, list());
  await cache.fetchQuery({ queryKey: listKey, queryFn, retry: false }).catch(() => undefined);
  hear(told(operation(1)));
  const { status, error } = cache.getQueryState(listKey) ?? {};
  expect([idsIn(listKey), status, error]).toEqual([['op-1'], 'error', new Error('no answer')]);
});

it('looks at the clusters again when somebody begins something, and at the audit', () => {
  const shown = [keys.clusters.list({}), keys.audit.list({})];
  for (const key of shown) {
    cache.setQueryData(key, {});
  }
  hear(told(operation(1)));
  expect(shown.map(isStale)).toEqual([true, true]);
});

it('looks at the clusters and the audit also where a list was read before what it has was told', () => {
  const shown = [keys.clusters.one('first'), keys.clusters.list({}), keys.audit.list({})];
  cache.setQueryData(listKey, list(operation(1)));
  for (const key of shown) {
    cache.setQueryData(key, {});
  }
  hear(told(operation(1)));
  expect(shown.map(isStale)).toEqual([true, true, true]);
});

it('asks for nothing more when the same is told again, as it is in a batch that is repeated', () => {
  const asked: Outdated[] = [];
  const again = () => merge(cache, told(operation(5)), (what) => void asked.push(what));
  again();
  expect(asked.length).toBeGreaterThan(0);
  asked.length = 0;
  again();
  expect(asked).toEqual([]);
});

it('leaves the clusters alone when what is told is outdated', () => {
  cache.setQueryData(keys.operations.one('op-1'), operation(5));
  cache.setQueryData(keys.clusters.list({}), {});
  hear(told(operation(4, { status: 'PENDING' })));
  expect(isStale(keys.clusters.list({}))).toBe(false);
});

it('does not have the headline of a cluster wait for its parts, which ask AWS', () => {
  const asked: Outdated[] = [];
  const tag = keys.clusters.one('first');
  merge(cache, told(operation(1)), (what) => asked.push(what));
  mend({ cluster_tag: 'first' }, (what) => asked.push(what));
  const ofCluster = asked.filter(({ queryKey }) => JSON.stringify(queryKey) === JSON.stringify(tag));
  const apart = [
    { queryKey: tag, exact: true },
    { queryKey: tag, beneath: true },
  ];
  expect(ofCluster).toEqual([...apart, ...apart]);
});

it('has the lists that are read of indexes read once more, which may be behind what was told', () => {
  const asked: Outdated[] = [];
  merge(cache, told(operation(1)), (what) => asked.push(what));
  const lagging = asked.filter(({ lags }) => lags).map(({ queryKey }) => queryKey);
  expect(lagging).toEqual([keys.audit.all, keys.clusters.lists]);
});

it('does not take a list, which tells no stages, for the operation itself', () => {
  cache.setQueryData(keys.operations.one('op-1'), operation(1));
  cache.setQueryData(listKey, list(operation(3, { stages: [] })));
  hear(told(operation(3)));
  expect(versionIn(cache, 'op-1')).toBe(3);
});

it('looks at a cluster again when a stage of it ends, and not for each word of one', () => {
  const cluster = keys.clusters.one('first');
  cache.setQueryData(keys.operations.one('op-1'), operation(1));
  cache.setQueryData(cluster, {});
  hear(told(operation(2, { stages: [stage(10, 'RUNNING', { message: '2/3 nodes' })] })));
  expect(isStale(cluster)).toBe(false);
  hear(told(operation(3, { stages: [stage(10, 'SUCCEEDED')] })));
  expect(isStale(cluster)).toBe(true);
});

it('reads an operation that was too large to be sent, and all that it may have changed', () => {
  cache.setQueryData(keys.operations.one('op-1'), operation(1));
  const shown = [keys.audit.list({}), keys.clusters.list({}), keys.clusters.one('first'), listKey];
  for (const key of shown) {
    cache.setQueryData(key, {});
  }
  hear({ type: 'operation', operation_id: 'op-1', version: 2, operation: null });
  expect(isStale(keys.operations.one('op-1'))).toBe(true);
  expect(shown.map(isStale)).toEqual([true, true, true, true]);
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
  hear({ type: 'cluster_event', event });
  expect([isStale(events), isStale(others)]).toEqual([true, false]);
  expect([cluster, clusters, drift].map(isStale)).toEqual([true, true, false]);
});

it('mends what is shown of a topic, and only that', () => {
  for (const key of [keys.operations.one('op-1'), keys.clusters.one('first'), keys.clusters.one('second')]) {
    cache.setQueryData(key, {});
  }
  mend({ cluster_tag: 'first' }, reread);
  expect([isStale(keys.clusters.one('first')), isStale(keys.clusters.one('second'))]).toEqual([true, false]);
  expect(isStale(keys.operations.one('op-1'))).toBe(true);
});

it('mends all that pages list where all is watched', () => {
  const shown = [keys.operations.list({}), keys.clusters.list({}), keys.audit.list({})];
  for (const key of shown) {
    cache.setQueryData(key, {});
  }
  mend({ all: true }, reread);
  expect(shown.map(isStale)).toEqual([true, true, true]);
});
