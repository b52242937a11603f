import type { Query, QueryClient } from '@tanstack/react-query';
import { keys } from '../api/keys';
import { type Listed, type OperationFilters, operationsIn, placed } from '../api/operation-lists';
import { keep } from '../api/operations';
import type { Operation } from '../api/schema';
import type { Message, Topic } from './messages';
import type { Outdated, Reread } from './rereading';

// The API reads these of indexes.
const OPERATIONS: Outdated = { queryKey: keys.operations.lists, lags: true };
const CLUSTERS: Outdated = { queryKey: keys.clusters.lists, lags: true };
const AUDIT: Outdated = { queryKey: keys.audit.all, lags: true };

/** Take what the WebSocket tells into what the pages show. */
export function merge(cache: QueryClient, message: Message, reread: Reread): void {
  switch (message.type) {
    case 'operation':
      if (message.operation === null) {
        // It was too large to be sent, with the name of its cluster.
        reread({ queryKey: keys.operations.one(message.operation_id) });
        reread(OPERATIONS);
        reread(AUDIT);
        reread(CLUSTERS);
        reread({ queryKey: keys.clusters.each });
      } else {
        mergeOperation(cache, message.operation, reread);
      }
      break;
    case 'audit':
      reread({ queryKey: keys.operations.audit(message.entry.operation_id) });
      reread(AUDIT);
      break;
    case 'cluster_event':
      reread({ queryKey: keys.clusters.parts(message.event.cluster_tag, 'events') });
      // The conditions that follow from it are revised by now; other parts of a cluster cost AWS calls.
      reread({ queryKey: keys.clusters.one(message.event.cluster_tag), exact: true });
      reread(CLUSTERS);
      break;
  }
}

/** Read again what is shown of a topic, because something of it may have been missed. */
export function mend(topic: Topic, reread: Reread): void {
  if ('operation_id' in topic) {
    reread({ queryKey: keys.operations.one(topic.operation_id) });
    reread({ queryKey: keys.operations.audit(topic.operation_id) });
    return;
  }
  reread({ queryKey: keys.operations.all });
  reread({ queryKey: keys.audit.all });
  if ('cluster_tag' in topic) {
    rereadCluster(topic.cluster_tag, reread);
    reread({ queryKey: keys.clusters.lists });
  } else {
    reread({ queryKey: keys.clusters.all });
  }
}

/** The version that is known of an operation. */
export function versionIn(cache: QueryClient, operationId: string): number | undefined {
  return cache.getQueryData<Operation>(keys.operations.one(operationId))?.version;
}

// The lists tell no stages, so each place keeps the newest that it was told itself.
function mergeOperation(cache: QueryClient, told: Operation, reread: Reread): void {
  const known = knownOf(cache, told.operation_id);
  keep(cache, told);
  for (const list of cache.getQueryCache().findAll({ queryKey: keys.operations.lists })) {
    place(cache, list, known && known.version > told.version ? known : told, reread);
  }
  if ((known && known.version > told.version) || !isNews(cache, told)) {
    return;
  }
  // What was read ahead of being told says nothing of what was known when the clusters and the audit were read.
  const before = known?.version === told.version ? undefined : known;
  if (before?.status !== told.status) {
    reread(AUDIT);
  }
  if (before === undefined || shape(before) !== shape(told)) {
    reread(CLUSTERS);
    rereadCluster(told.cluster_tag, reread);
  }
}

// How new what was told of each operation is: it is told again in a batch that is repeated, and to each new topic.
const heard = new WeakMap<QueryClient, Map<string, number>>();

function isNews(cache: QueryClient, { operation_id, version }: Operation): boolean {
  const versions = heard.get(cache) ?? new Map<string, number>();
  heard.set(cache, versions);
  if (version <= (versions.get(operation_id) ?? 0)) {
    return false;
  }
  versions.set(operation_id, version);
  return true;
}

// Its headline is here at once; its parts may ask AWS for a long time.
function rereadCluster(tag: string, reread: Reread): void {
  reread({ queryKey: keys.clusters.one(tag), exact: true });
  reread({ queryKey: keys.clusters.one(tag), beneath: true });
}

/** Put an operation where it belongs in a list; an answer that is on its way may not know of it, so then once more. */
function place(cache: QueryClient, list: Query, operation: Operation, reread: Reread): void {
  const { queryKey } = list;
  const before = cache.getQueryData<Listed>(queryKey);
  const after = before && placed(before, filtersIn(list), operation);
  if (after === null) {
    reread({ queryKey, exact: true, lags: true });
    return;
  }
  if (after !== before) {
    // The rest of the list is as old as it was, and as outdated, and whether it could be read is as it was.
    list.setState({ data: after });
  }
  if (list.state.fetchStatus === 'fetching') {
    const again = () => place(cache, list, knownOf(cache, operation.operation_id) ?? operation, reread);
    list.promise?.then(again, again);
  }
}

function filtersIn({ queryKey }: Query): OperationFilters {
  return (queryKey.at(-1) ?? {}) as OperationFilters;
}

/** The newest that is known of an operation, by itself or in lists. */
function knownOf(cache: QueryClient, operationId: string): Operation | undefined {
  const whole = cache.getQueryData<Operation>(keys.operations.one(operationId));
  const lists = cache.getQueriesData<Listed>({ queryKey: keys.operations.lists });
  const listed = lists.flatMap(([, list]) => (list ? operationsIn(list) : []));
  return listed.filter((each) => each.operation_id === operationId).reduce<Operation | undefined>(newest, whole);
}

function newest(one: Operation | undefined, other: Operation | undefined): Operation | undefined {
  return one && (other === undefined || one.version >= other.version) ? one : other;
}

/** What of an operation shows in its cluster: each stage that ends may change a condition. */
function shape(operation: Operation): string {
  return [operation.status, ...(operation.stages ?? []).map((stage) => stage.status)].join();
}
