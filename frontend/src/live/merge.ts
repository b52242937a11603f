import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import { keys } from '../api/keys';
import { keep } from '../api/operations';
import type { Operation, Page } from '../api/schema';
import type { Message, Topic } from './messages';

type Listed = InfiniteData<Page, string | undefined>;

/** Take what the WebSocket tells into what the pages show. */
export function merge(cache: QueryClient, message: Message): void {
  switch (message.type) {
    case 'operation':
      if (message.operation === null) {
        void cache.invalidateQueries({ queryKey: keys.operations.one(message.operation_id) });
        void cache.invalidateQueries({ queryKey: keys.operations.lists });
      } else {
        mergeOperation(cache, message.operation);
      }
      break;
    case 'audit':
      void cache.invalidateQueries({ queryKey: keys.operations.audit(message.entry.operation_id) });
      void cache.invalidateQueries({ queryKey: keys.audit.all });
      break;
    case 'cluster_event':
      void cache.invalidateQueries({ queryKey: keys.clusters.parts(message.event.cluster_tag, 'events') });
      // The conditions that follow from it are revised by now; other parts of a cluster cost AWS calls.
      void cache.invalidateQueries({ queryKey: keys.clusters.one(message.event.cluster_tag), exact: true });
      void cache.invalidateQueries({ queryKey: keys.clusters.lists });
      break;
  }
}

/** Read again what is shown of a topic, because something of it may have been missed. */
export function mend(cache: QueryClient, topic: Topic): void {
  if ('operation_id' in topic) {
    void cache.invalidateQueries({ queryKey: keys.operations.one(topic.operation_id) });
    void cache.invalidateQueries({ queryKey: keys.operations.audit(topic.operation_id) });
    return;
  }
  void cache.invalidateQueries({ queryKey: keys.operations.all });
  void cache.invalidateQueries({
    queryKey: 'cluster_tag' in topic ? keys.clusters.one(topic.cluster_tag) : keys.clusters.all,
  });
  void cache.invalidateQueries({ queryKey: keys.clusters.lists });
}

/** The version that is known of an operation. */
export function versionIn(cache: QueryClient, operationId: string): number | undefined {
  return cache.getQueryData<Operation>(keys.operations.one(operationId))?.version;
}

// The lists tell no stages, so each place keeps the newest that it was told itself.
function mergeOperation(cache: QueryClient, told: Operation): void {
  const whole = cache.getQueryData<Operation>(keys.operations.one(told.operation_id));
  const known = newest(whole, listed(cache, told.operation_id));
  keep(cache, told);
  if (known && known.version >= told.version) {
    return;
  }
  cache.setQueriesData<Listed>({ queryKey: keys.operations.lists }, (lists) => replaced(lists, told));
  if (known === undefined || known.status !== told.status) {
    // Which lists it now belongs to is for the API to say.
    void cache.invalidateQueries({ queryKey: keys.operations.lists });
    void cache.invalidateQueries({ queryKey: keys.audit.all });
  }
  if (known === undefined || shape(known) !== shape(told)) {
    void cache.invalidateQueries({ queryKey: keys.clusters.lists });
    void cache.invalidateQueries({ queryKey: keys.clusters.one(told.cluster_tag) });
  }
}

function listed(cache: QueryClient, operationId: string): Operation | undefined {
  const lists = cache.getQueriesData<Listed>({ queryKey: keys.operations.lists });
  const all = lists.flatMap(([, list]) => list?.pages.flatMap((page) => page.operations) ?? []);
  return all.filter((each) => each.operation_id === operationId).reduce<Operation | undefined>(newest, undefined);
}

function replaced(lists: Listed | undefined, told: Operation): Listed | undefined {
  const put = (each: Operation) =>
    each.operation_id === told.operation_id && each.version < told.version ? told : each;
  return lists && { ...lists, pages: lists.pages.map((page) => ({ ...page, operations: page.operations.map(put) })) };
}

function newest(one: Operation | undefined, other: Operation | undefined): Operation | undefined {
  return one && (other === undefined || one.version >= other.version) ? one : other;
}

/** What of an operation shows in its cluster: each stage that ends may change a condition. */
function shape(operation: Operation): string {
  return [operation.status, ...(operation.stages ?? []).map((stage) => stage.status)].join();
}
