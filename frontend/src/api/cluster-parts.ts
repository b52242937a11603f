import { useQuery } from '@tanstack/react-query';
import { useApi } from './api-context';
import { answered } from './client';
import { keys } from './keys';
import { useListing } from './listings';
import type {
  AccessPage,
  AccessView,
  ClusterEvent,
  ClusterEventPage,
  ClusterView,
  ComputeSubnet,
  ComputeSubnetPage,
  NamespacePage,
  NamespaceView,
} from './schema';

/** What AWS told about a cluster, newest first. */
export function useClusterEvents(tag: string) {
  const api = useApi();
  return useListing<ClusterEventPage, ClusterEvent>({
    key: keys.clusters.part(tag, 'events'),
    read: (next_token) =>
      answered(api.GET('/api/clusters/{tag}/events', { params: { path: { tag }, query: { next_token } } })),
    items: (page) => page.events,
  });
}

/** The subnets in which nodes stand or may stand. */
export function useSubnets(tag: string) {
  const api = useApi();
  return useListing<ComputeSubnetPage, ComputeSubnet>({
    key: keys.clusters.part(tag, 'subnets'),
    read: (next_token) =>
      answered(api.GET('/api/clusters/{tag}/subnets', { params: { path: { tag }, query: { next_token } } })),
    items: (page) => page.subnets,
  });
}

// Each entry costs EKS two calls.
const ACCESS_IS_READ_EVERY = 60_000;

/** Who may enter a cluster. */
export function useAccess(tag: string) {
  const api = useApi();
  return useListing<AccessPage, AccessView>({
    key: keys.clusters.part(tag, 'access'),
    read: (next_token) =>
      answered(api.GET('/api/clusters/{tag}/access', { params: { path: { tag }, query: { next_token } } })),
    items: (page) => page.entries,
    refetchInterval: ACCESS_IS_READ_EVERY,
  });
}

/** The namespaces of a cluster, as its API server tells. */
export function useNamespaces(tag: string) {
  const api = useApi();
  return useListing<NamespacePage, NamespaceView>({
    key: keys.clusters.part(tag, 'namespaces'),
    read: (next_token) =>
      answered(api.GET('/api/clusters/{tag}/namespaces', { params: { path: { tag }, query: { next_token } } })),
    items: (page) => page.namespaces,
  });
}

/** Whether and how far the control plane gets into a cluster; tried when `wanted`. */
export function useConnection(tag: string, wanted: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: keys.clusters.part(tag, 'connection'),
    queryFn: () => answered(api.GET('/api/clusters/{tag}/connection', { params: { path: { tag } } })),
    enabled: wanted,
  });
}

/** What the last detection of a cluster's drift found; asked for where the cluster says that there was one. */
export function useDrift({ tag, drift_detected_at }: Pick<ClusterView, 'tag' | 'drift_detected_at'>) {
  const api = useApi();
  return useQuery({
    queryKey: keys.clusters.part(tag, 'drift'),
    queryFn: () => answered(api.GET('/api/clusters/{tag}/drift', { params: { path: { tag } } })),
    enabled: typeof drift_detected_at === 'string',
  });
}

/** What keeps a cluster from working; `areas` alone, or all where it is left out. */
export function useDiagnosis(tag: string, areas?: readonly string[]) {
  const api = useApi();
  const query = areas ? { areas: areas.join(',') } : {};
  return useQuery({
    queryKey: keys.diagnosis(tag, query),
    queryFn: () => answered(api.GET('/api/clusters/{tag}/diagnosis', { params: { path: { tag }, query } })),
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });
}
