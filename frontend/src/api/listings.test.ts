import { environmentManager, QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { due, interval, SOON } from './listings';
import { unreachable } from './problems';

beforeEach(() => {
  vi.useFakeTimers();
  // Where there is no window, nothing is read by itself.
  environmentManager.setIsServer(() => false);
});
afterEach(() => {
  vi.useRealTimers();
  environmentManager.setIsServer(() => true);
});

it('reads a list again every twenty seconds, and a short one sooner where people look for what others do', () => {
  expect([interval(), interval(undefined, 9)]).toEqual([20_000, 20_000]);
  expect([interval(SOON), interval(SOON, 2), interval(SOON, 9)]).toEqual([5_000, 10_000, 20_000]);
  expect([interval(60_000, 3), interval(false, 3)]).toEqual([60_000, false]);
});

it('is read every so often however much is told of it meanwhile', async () => {
  const [cache, queryKey] = [new QueryClient(), ['operations', 'list', {}]];
  let asked = 0;
  const queryFn = async () => ++asked;
  const refetchInterval = due(() => 60_000);
  const stop = new QueryObserver(cache, { queryKey, queryFn, refetchInterval }).subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(0);
  for (let told = 1; told < 300; told += 1) {
    await vi.advanceTimersByTimeAsync(333);
    cache.getQueryCache().find({ queryKey })?.setState({ data: -told });
  }
  expect(asked).toBe(2);
  await vi.advanceTimersByTimeAsync(120_000);
  stop();
  expect(asked).toBe(4);
});

it('is read no oftener where it is refused, nor while it is on its way', async () => {
  const [cache, queryKey] = [new QueryClient(), ['audit', {}]];
  let asked = 0;
  const queryFn = () => {
    asked += 1;
    return new Promise((_, refuse) => setTimeout(() => refuse(new Error('no')), 10_000));
  };
  const observer = new QueryObserver(cache, {
    queryKey,
    queryFn,
    initialData: 0,
    initialDataUpdatedAt: 1,
    retry: false,
    refetchInterval: due(() => 60_000),
  });
  const stop = observer.subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(145_000);
  stop();
  expect(asked).toBe(3);
});

it('is read again soon where it could not be read, however much is told of it meanwhile', async () => {
  const [cache, queryKey] = [new QueryClient(), ['operations', 'list', {}]];
  let asked = 0;
  const queryFn = async () => {
    asked += 1;
    if (asked === 1) {
      throw unreachable();
    }
    return asked;
  };
  const options = { queryKey, queryFn, retry: false, initialData: 0, refetchInterval: due(() => 60_000) };
  const stop = new QueryObserver(cache, options).subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(0);
  for (let told = 1; told < 30; told += 1) {
    await vi.advanceTimersByTimeAsync(333);
    cache.getQueryCache().find({ queryKey })?.setState({ data: -told });
  }
  stop();
  expect([asked, cache.getQueryState(queryKey)?.error]).toEqual([2, null]);
});
