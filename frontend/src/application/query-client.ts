import { QueryClient } from '@tanstack/react-query';
import { ProblemError } from '../api/problems';

const ATTEMPTS = 2;

/** The cache of what the API answered. What is live is told by the WebSocket; the rest is read again when looked at. */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, thrown) => failures < ATTEMPTS && mayPass(thrown),
        // Whoever sees that nothing answers sees it heal by itself.
        refetchInterval: ({ state }) => (state.error && mayPass(state.error) ? 5_000 : false),
      },
      mutations: { retry: false },
    },
  });
}

function mayPass(thrown: unknown): boolean {
  return thrown instanceof ProblemError && (thrown.problem.retryable || thrown.unreachable);
}
