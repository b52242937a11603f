import { QueryClient } from '@tanstack/react-query';
import { mayPass, readAgain } from '../api/problems';

const ATTEMPTS = 2;

/** The cache of what the API answered. What is live is told by the WebSocket; the rest is read again when looked at. */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // What a browser takes for being offline says nothing of a local host, and what was asked for is not to happen by
      // itself when a network returns: every request is sent at once, and fails where nothing answers.
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 10_000,
        retry: (failures, thrown) => failures < ATTEMPTS && mayPass(thrown),
        refetchInterval: ({ state }) => readAgain(state.error),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}
