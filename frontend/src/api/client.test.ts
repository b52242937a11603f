import { afterEach, expect, it, vi } from 'vitest';
import { answered, apiOf } from './client';
import { problemIn } from './problems';

const configuration = { api_url: 'http://console.test/api', websocket_url: '', sign_in: null } as never;

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it('takes a request that hangs for one that nobody answers', async () => {
  const limit = new AbortController();
  const limited = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
  const hangs = vi.fn(
    (_: Request, { signal }: RequestInit = {}) =>
      new Promise<Response>((_resolve, refuse) => signal?.addEventListener('abort', () => refuse(signal.reason))),
  );
  vi.stubGlobal('fetch', hangs);
  const asked = answered(apiOf(configuration, async () => 'token').GET('/api/operations')).catch(problemIn);
  await vi.waitFor(() => expect(hangs).toHaveBeenCalledOnce());
  limit.abort(new DOMException('too long', 'TimeoutError'));
  expect(await asked).toMatchObject({ code: 'unreachable' });
  // Longer than what is before the gateway waits for it.
  expect(limited.mock.calls[0]?.[0]).toBeGreaterThan(35_000);
});
