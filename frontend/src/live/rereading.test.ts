import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Rereading } from './rereading';

const what = { queryKey: ['clusters', 'list'] };
let cache: QueryClient;
let reading: Rereading;
let takes: number;
let asked: number;
let stop: () => void;

beforeEach(async () => {
  vi.useFakeTimers();
  cache = new QueryClient();
  reading = new Rereading(cache);
  takes = 100;
  asked = 0;
  stop = shown();
  await vi.advanceTimersByTimeAsync(takes);
  asked = 0;
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

/** Have a list on the screen, which answers with how often it was asked by then; gives how to take it away. */
function shown(filters = {}) {
  const queryFn = () => {
    asked += 1;
    const answer = asked;
    return new Promise<number>((resolve) => setTimeout(() => resolve(answer), takes));
  };
  return new QueryObserver(cache, { queryKey: [...what.queryKey, filters], queryFn }).subscribe(() => undefined);
}

it('reads at once what is told to be outdated', () => {
  reading.ask(what);
  expect(asked).toBe(1);
});

it('reads once more for all that is told while it reads and shortly after, and then leaves it', async () => {
  for (let told = 0; told < 50; told += 1) {
    reading.ask(what);
    await vi.advanceTimersByTimeAsync(20);
  }
  expect(asked).toBe(1);
  await vi.advanceTimersByTimeAsync(1_100);
  expect(asked).toBe(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(2);
  reading.ask(what);
  expect(asked).toBe(3);
});

it('waits for an answer that takes long, and leaves a list that does alone the longer', async () => {
  takes = 3_000;
  reading.ask(what);
  await vi.advanceTimersByTimeAsync(2_000);
  reading.ask(what);
  await vi.advanceTimersByTimeAsync(1_000 + 11_999);
  expect(asked).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toBe(2);
});

it('asks again in the end, however long that took', async () => {
  takes = 100_000;
  reading.ask(what);
  reading.ask(what);
  await vi.advanceTimersByTimeAsync(100_000 + 20_000);
  expect(asked).toBe(2);
});

it('keeps apart what is outdated in different ways', () => {
  reading.ask(what);
  reading.ask({ queryKey: ['operations'] });
  reading.ask({ ...what, exact: true });
  expect(cache.isFetching()).toBe(1);
  expect(asked).toBe(1);
});

it('follows a first reading, which began before the change, by another', async () => {
  const first = { new: true };
  const leave = shown(first);
  await vi.advanceTimersByTimeAsync(50);
  reading.ask({ queryKey: [...what.queryKey, first] });
  expect(asked).toBe(1);
  await vi.advanceTimersByTimeAsync(50);
  expect(cache.getQueryData([...what.queryKey, first])).toBe(1);
  await vi.advanceTimersByTimeAsync(100);
  expect(cache.getQueryData([...what.queryKey, first])).toBe(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(2);
  leave();
});

it('follows a first reading alone by another, not what stood beside it', async () => {
  const leave = shown({ new: true });
  reading.ask(what);
  await vi.advanceTimersByTimeAsync(60_000);
  // The first one, that one again, and once what stood.
  expect(asked).toBe(3);
  leave();
});

it('reads once more, a while after the last word, what may be behind what was told', async () => {
  const behind = { ...what, lags: true };
  reading.ask(behind);
  await vi.advanceTimersByTimeAsync(1_000);
  reading.ask(behind);
  await vi.advanceTimersByTimeAsync(1_100);
  expect(asked).toBe(2);
  await vi.advanceTimersByTimeAsync(2_100);
  expect(asked).toBe(3);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(3);
  reading.ask(behind);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(5);
});

it('waits for no answer for ever, so that what is told later is read', async () => {
  takes = 1_000_000;
  reading.ask(what);
  await vi.advanceTimersByTimeAsync(1_000);
  reading.ask(what);
  takes = 100;
  await vi.advanceTimersByTimeAsync(29_000 + 20_000);
  expect(asked).toBe(2);
});

it('reads what lies beneath a key apart from what has the key alone', async () => {
  const [, alone, part] = [stop(), ['clusters', 'list'], ['clusters', 'list', 'nodes']];
  const read: unknown[] = [];
  const queryFn = async ({ queryKey }: { queryKey: readonly unknown[] }) => read.push(queryKey);
  const stops = [alone, part].map((queryKey) =>
    new QueryObserver(cache, { queryKey, queryFn, staleTime: 1_000, initialData: 0 }).subscribe(() => undefined),
  );
  reading.ask({ ...what, beneath: true });
  await vi.advanceTimersByTimeAsync(0);
  expect(read).toEqual([part]);
  reading.ask({ ...what, exact: true });
  await vi.advanceTimersByTimeAsync(0);
  expect(read).toEqual([part, alone]);
  for (const each of stops) {
    each();
  }
});
