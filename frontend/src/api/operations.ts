import { type QueryClient, queryOptions, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useApi } from './api-context';
import { type Api, answered } from './client';
import { keys } from './keys';
import { due, type Listing, useListing, useToldInterval } from './listings';
import { belongs, type OperationFilters } from './operation-lists';
import type { Operation, OperationStatus, Page } from './schema';

const ENDED: ReadonlySet<string> = new Set<OperationStatus>(['SUCCEEDED', 'FAILED', 'CANCELLED']);

/** Whether an operation has ended; a status that a newer API invented has not. */
export function hasEnded(operation: Pick<Operation, 'status'>): boolean {
  return ENDED.has(operation.status);
}

/** The newer of an operation as somebody tells it and as it is known: answers and what is told overtake one another. */
export function newer(cache: QueryClient, told: Operation): Operation {
  const known = cache.getQueryData<Operation>(keys.operations.one(told.operation_id));
  return known !== undefined && known.version > told.version ? known : told;
}

/** Keep an operation that was told as a whole, unless a newer version of it is known. */
export function keep(cache: QueryClient, told: Operation): void {
  if (newer(cache, told) === told) {
    cache.setQueryData(keys.operations.one(told.operation_id), told);
  }
}

/**
 * The operations, newest first, page by page. Watch their cluster, or all, with `useLive` to see new ones; `untold` is
 * how often they are read while nothing can be told, in milliseconds.
 */
export function useOperations(filters: OperationFilters = {}, untold?: number) {
  const api = useApi();
  const cache = useQueryClient();
  return useListing<Page, Operation>({
    key: keys.operations.list(filters),
    read: (next_token) => operationsRead(api, cache, { ...filters, next_token }),
    items: (page) => page.operations,
    refetchInterval: useToldInterval(untold),
  });
}

export async function operationsRead(
  api: Api,
  cache: QueryClient,
  query: OperationFilters & { next_token: string | undefined },
): Promise<Page> {
  const page = await answered(api.GET('/api/operations', { params: { query } }));
  const operations = page.operations.map((each) => newer(cache, each));
  return { ...page, operations: operations.filter((each) => belongs(query, each)) };
}

/** How one operation is read: an answer that comes after something newer was told does not undo it. */
export function operationQuery(api: Api, cache: QueryClient, operationId: string) {
  const path = { operation_id: operationId };
  return queryOptions({
    queryKey: keys.operations.one(operationId),
    queryFn: async () => newer(cache, await answered(api.GET('/api/operations/{operation_id}', { params: { path } }))),
  });
}

/** One operation as it stands. Watch it with `useLive({ operation_id })` to see it move. */
export function useOperation(operationId: string) {
  const api = useApi();
  const cache = useQueryClient();
  return useQuery(operationQuery(api, cache, operationId));
}

/** An operation of a list with its stages, which lists do not tell; it is read again where the list is ahead. */
export function useListed(listed: Operation): Operation {
  const { data, refetch } = useOperation(listed.operation_id);
  const ahead = data !== undefined && data.version < listed.version ? listed.version : null;
  useEffect(() => {
    if (ahead !== null) {
      void refetch();
    }
  }, [ahead, refetch]);
  return whole(listed, data);
}

/** The newer of an operation as a list and as its own route tells it; without stages of its own it has those known. */
export function whole(listed: Operation, known: Operation | undefined): Operation {
  if (known === undefined || known.version < listed.version) {
    return listed.stages?.length ? listed : { ...listed, stages: known?.stages ?? [] };
  }
  return known;
}

/**
 * What goes on, of a list as far as it was read and of what clusters say of themselves.
 *
 * A creation that waits for capacity for days stands behind newer operations; its cluster names it all the time.
 */
export function useUnfinished(listing: Listing<Operation>, active: readonly string[]): Operation[] {
  const api = useApi();
  const cache = useQueryClient();
  const every = useToldInterval();
  const refetchInterval = due<Operation>(() => every);
  const ids = listing.isPending ? [] : unlisted(listing.items, active);
  const read = useQueries({ queries: ids.map((id) => ({ ...operationQuery(api, cache, id), refetchInterval })) });
  return [...listing.items, ...read.flatMap(({ data }) => data ?? [])].filter((operation) => !hasEnded(operation));
}

/** Those of some operations that a list does not have. */
export function unlisted(listed: readonly Operation[], ids: readonly string[]): string[] {
  const known = new Set(listed.map(({ operation_id }) => operation_id));
  return [...new Set(ids)].filter((id) => !known.has(id));
}

/** Who did what to an operation. */
export function useOperationAudit(operationId: string) {
  const api = useApi();
  return useQuery({
    queryKey: keys.operations.audit(operationId),
    queryFn: () =>
      answered(api.GET('/api/operations/{operation_id}/audit', { params: { path: { operation_id: operationId } } })),
  });
}
