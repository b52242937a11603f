import { useQuery } from '@tanstack/react-query';
import { useApi } from './api-context';
import { answered } from './client';
import { keys } from './keys';
import { useListing } from './listings';
import type { Operation, OperationStatus, Page, paths } from './schema';

export type OperationFilters = Omit<
  NonNullable<paths['/api/operations']['get']['parameters']['query']>,
  'limit' | 'next_token'
>;

const ENDED: ReadonlySet<string> = new Set<OperationStatus>(['SUCCEEDED', 'FAILED', 'CANCELLED']);

/** Whether an operation has ended; a status that a newer API invented has not. */
export function hasEnded(operation: Pick<Operation, 'status'>): boolean {
  return ENDED.has(operation.status);
}

/** The operations, newest first, page by page. */
export function useOperations(filters: OperationFilters = {}) {
  const api = useApi();
  return useListing<Page, Operation>({
    key: keys.operations.list(filters),
    read: (next_token) => answered(api.GET('/api/operations', { params: { query: { ...filters, next_token } } })),
    items: (page) => page.operations,
  });
}

/** One operation as it stands. Watch it with `useLive({ operation_id })` to see it move. */
export function useOperation(operationId: string) {
  const api = useApi();
  return useQuery({
    queryKey: keys.operations.one(operationId),
    queryFn: () =>
      answered(api.GET('/api/operations/{operation_id}', { params: { path: { operation_id: operationId } } })),
  });
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
