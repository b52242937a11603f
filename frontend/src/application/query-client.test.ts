import { onlineManager } from '@tanstack/react-query';
import { afterEach, expect, it } from 'vitest';
import { newQueryClient } from './query-client';

afterEach(() => onlineManager.setOnline(true));

it('asks and begins at once where the browser thinks that it is offline: nothing happens by itself later', async () => {
  onlineManager.setOnline(false);
  const cache = newQueryClient();
  expect(await cache.fetchQuery({ queryKey: ['local'], queryFn: async () => 'answered' })).toBe('answered');
  const deletion = cache.getMutationCache().build(cache, { mutationFn: () => Promise.reject(new Error('no network')) });
  await expect(deletion.execute(undefined)).rejects.toThrow('no network');
  expect(deletion.state.isPaused).toBe(false);
});
