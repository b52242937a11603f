import { type InfiniteData, type QueryKey, type QueryState, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTellsAll } from '../live/live-context';
import { type ProblemError, readAgain } from './problems';

/** What every list of the API answers, beside its items. */
export interface PageOf {
  next_token?: string | null;
}

/** A list of the API as far as it has been read. */
export interface Listing<Item> {
  items: readonly Item[];
  isPending: boolean;
  error: ProblemError | null;
  hasMore: boolean;
  isReadingMore: boolean;
  readMore: () => void;
  refresh: () => void;
}

/** How often a list is read again while it is on the screen, in milliseconds, where nobody tells what is new of it. */
const OTHERS_APPEAR_WITHIN = 20_000;

/** As that, for the pages that people look at to see what others do. */
export const SOON = 5_000;

/** As that, for what is told as it happens: what neither an operation nor an event of AWS changes is told by nobody. */
const TOLD_IS_READ_EVERY = 60_000;

/** How often to read what the page watches, in milliseconds: seldom while it is told, else every `untold`. */
export function useToldInterval(untold: number = OTHERS_APPEAR_WITHIN): number {
  return useTellsAll() ? TOLD_IS_READ_EVERY : untold;
}

/** How soon what is overdue is read: each thing that is told begins to wait anew, and there may be many a second. */
const SHORTEST = 50;

interface Options<Page, Item> {
  key: QueryKey;
  /** Reads the page of a token; undefined is the first one. */
  read: (nextToken: string | undefined) => Promise<Page>;
  items: (page: Page) => readonly Item[];
  enabled?: boolean;
  refetchInterval?: number | false;
}

/** Read a list page by page, on demand; it is read again from its first page on. */
export function useListing<Page extends PageOf, Item>(options: Options<Page, Item>): Listing<Item> {
  const query = useInfiniteQuery({
    queryKey: options.key,
    queryFn: ({ pageParam }) => options.read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last: Page) => last.next_token ?? undefined,
    enabled: options.enabled ?? true,
    refetchInterval: due<InfiniteData<Page>>((data) => interval(options.refetchInterval, data?.pages.length)),
  });
  return {
    items: query.data?.pages.flatMap(options.items) ?? [],
    isPending: query.isPending && (options.enabled ?? true),
    error: query.error,
    hasMore: query.hasNextPage,
    isReadingMore: query.isFetchingNextPage,
    readMore: () => void query.fetchNextPage(),
    refresh: () => void query.refetch(),
  };
}

/** When a list is read again: all its pages are, so the more there are, the more seldom. */
export function interval(every: number | false = OTHERS_APPEAR_WITHIN, pages = 1): number | false {
  return every && Math.max(every, Math.min(OTHERS_APPEAR_WITHIN, every * pages));
}

/**
 * When what is read every so often is read next: soon where it failed. It is counted from the last answer, so that what
 * is told meanwhile puts nothing off.
 */
export function due<Data>(every: (data: Data | undefined) => number | false) {
  return ({ state }: { state: QueryState<Data> }): number | false => {
    const answered = state.fetchStatus === 'idle' ? Math.max(state.dataUpdatedAt, state.errorUpdatedAt) : Date.now();
    const pause = readAgain(state.error, every(state.data));
    return pause && Math.max(SHORTEST, Math.min(pause, answered + pause - Date.now()));
  };
}

/** Read a list to its end by itself: for suggestions, which nobody turns the pages of. */
export function useWhole<List extends Listing<unknown>>(listing: List): List {
  const { hasMore, isReadingMore, error, readMore } = listing;
  const goesOn = hasMore && !isReadingMore && error === null;
  useEffect(() => {
    if (goesOn) {
      readMore();
    }
  });
  return listing;
}

/** Show what is already here as a list that is complete. */
export function listingOf<Item>(
  items: readonly Item[] | undefined,
  query: { isPending: boolean; error: ProblemError | null; refetch: () => unknown },
): Listing<Item> {
  return {
    items: items ?? [],
    isPending: query.isPending,
    error: query.error,
    hasMore: false,
    isReadingMore: false,
    readMore: () => undefined,
    refresh: () => void query.refetch(),
  };
}
