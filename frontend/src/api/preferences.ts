import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi } from './api-context';
import { answered } from './client';
import { keys } from './keys';

/** The cluster that whoever looks works with. */
export function useActiveCluster() {
  const api = useApi();
  return useQuery({
    queryKey: keys.preferences.activeCluster,
    queryFn: () => answered(api.GET('/api/preferences/active_cluster')),
  });
}

/** Choose the cluster to work with. */
export function useChooseActiveCluster() {
  const api = useApi();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (cluster_tag: string) =>
      answered(api.PUT('/api/preferences/active_cluster', { body: { cluster_tag } })),
    onSuccess: (chosen) => cache.setQueryData(keys.preferences.activeCluster, chosen),
  });
}
