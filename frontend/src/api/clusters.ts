import { useQuery } from '@tanstack/react-query';
import { useApi } from './api-context';
import { answered } from './client';
import { keys } from './keys';
import { useListing, useToldInterval } from './listings';
import type { ClusterPage, ClusterSummary, paths } from './schema';

export type ClusterFilters = Omit<
  NonNullable<paths['/api/clusters']['get']['parameters']['query']>,
  'limit' | 'next_token'
>;

/**
 * The clusters, page by page. Watch all with `useLive({ all: true })` to see new ones; `untold` is how often they are
 * read while nothing can be told, in milliseconds.
 */
export function useClusters(filters: ClusterFilters = {}, untold?: number) {
  const api = useApi();
  return useListing<ClusterPage, ClusterSummary>({
    key: keys.clusters.list(filters),
    read: (next_token) => answered(api.GET('/api/clusters', { params: { query: { ...filters, next_token } } })),
    items: (page) => page.clusters,
    refetchInterval: useToldInterval(untold),
  });
}

/** One cluster with its spec and conditions. */
export function useCluster(tag: string) {
  const api = useApi();
  return useQuery({
    queryKey: keys.clusters.one(tag),
    queryFn: () => answered(api.GET('/api/clusters/{tag}', { params: { path: { tag } } })),
  });
}
