import { QueryClient } from '@tanstack/react-query';
import { mayPass, readAgain } from '../api/problems';

const ATTEMPTS = 2;

/** The cache of what the API answered. What is live is told by the WebSocket; the rest is read again when looked at. */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, thrown) => failures < ATTEMPTS && mayPass(thrown),
        refetchInterval: ({ state }) => readAgain(state.error),
      },
      mutations: { retry: false },
    },
  });
}
