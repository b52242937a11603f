import { useMutation } from '@tanstack/react-query';
import { useApi } from './api-context';
import { answered } from './client';

/** Read a kubeconfig of a cluster; it holds no credentials. */
export function useKubeconfig() {
  const api = useApi();
  return useMutation({
    mutationFn: (tag: string) =>
      answered(api.GET('/api/clusters/{tag}/kubeconfig', { params: { path: { tag } }, parseAs: 'text' })),
  });
}
