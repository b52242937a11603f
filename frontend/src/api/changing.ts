import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useApi } from './api-context';
import { keys } from './keys';
import { ProblemError } from './problems';
import type { Operation } from './schema';
import { begun, previewed, type Wish } from './wishes';

/** A wish in earnest, with the digest of its preview or the name that a person typed. */
export interface Earnest {
  wish: Wish;
  confirm?: string;
}

const ATTEMPTS = 3;

/** Ask what a wish would come to: findings, changes in order, costs, digest. */
export function usePreview() {
  const api = useApi();
  return useMutation({ mutationFn: (wanted: Wish) => previewed(api, wanted) });
}

/** Begin a wish as an operation; sent again with the same key where no answer came, so that it begins once. */
export function useBegin(onBegun?: (operation: Operation) => void) {
  const api = useApi();
  const cache = useQueryClient();
  const mutation = useMutation({
    mutationFn: ({ wish, confirm, key }: Earnest & { key: string }) => begun(api, wish, key, confirm),
    retry: (failures, problem) => failures < ATTEMPTS && problem instanceof ProblemError && problem.unreachable,
    onSuccess: (operation) => {
      cache.setQueryData(keys.operations.one(operation.operation_id), operation);
      void cache.invalidateQueries({ queryKey: keys.operations.lists });
      void cache.invalidateQueries({ queryKey: keys.clusters.all });
      onBegun?.(operation);
    },
  });
  return {
    ...mutation,
    begin: (wanted: Earnest) => mutation.mutate({ ...wanted, key: wanted.wish.key ?? crypto.randomUUID() }),
  };
}
