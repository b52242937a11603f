import { useQuery } from '@tanstack/react-query';
import { useApi } from './api-context';
import { answered } from './client';
import { keys } from './keys';

/** The Kubernetes versions that clusters may have, the newest first. */
export function useKubernetesVersions() {
  const api = useApi();
  return useQuery({
    queryKey: keys.catalog.of('kubernetes_versions'),
    queryFn: () => answered(api.GET('/api/catalog/kubernetes_versions')),
  });
}
