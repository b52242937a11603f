import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from './api-context';
import { keys } from './keys';
import { keep } from './operations';
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

/** The idempotency key of what somebody is about to begin: the same until the wish is another, or has begun. */
export class WishKey {
  private words: string | undefined;
  private key = '';

  /** Give the key of a wish; one that it brings along counts. */
  of({ key, ...wish }: Wish): string {
    if (key !== undefined) {
      return key;
    }
    const words = JSON.stringify(wish);
    if (words !== this.words) {
      this.words = words;
      this.key = crypto.randomUUID();
    }
    return this.key;
  }

  /** The wish has begun: the same one once more is meant to begin once more. */
  begun(): void {
    this.words = undefined;
  }
}

/** Begin a wish as an operation; sent again with the same key where no answer came, by itself or by hand, so that it begins once. */
export function useBegin(onBegun?: (operation: Operation) => void) {
  const api = useApi();
  const cache = useQueryClient();
  const [key] = useState(() => new WishKey());
  const mutation = useMutation({
    mutationFn: ({ wish, confirm, key }: Earnest & { key: string }) => begun(api, wish, key, confirm),
    retry: (failures, problem) => failures < ATTEMPTS && problem instanceof ProblemError && problem.unreachable,
    onSuccess: (operation) => {
      key.begun();
      keep(cache, operation);
      void cache.invalidateQueries({ queryKey: keys.operations.lists });
      void cache.invalidateQueries({ queryKey: keys.clusters.all });
      onBegun?.(operation);
    },
  });
  const withKey = (wanted: Earnest) => ({ ...wanted, key: key.of(wanted.wish) });
  return {
    ...mutation,
    begin: (wanted: Earnest) => mutation.mutate(withKey(wanted)),
    /** As `begin`; resolves with the operation, and rejects with the problem. */
    beginning: (wanted: Earnest): Promise<Operation> => mutation.mutateAsync(withKey(wanted)),
  };
}
