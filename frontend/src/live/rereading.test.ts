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
  const queryFn = () => {
    asked += 1;
    return new Promise<number>((resolve) => setTimeout(() => resolve(asked), takes));
  };
  stop = new QueryObserver(cache, { queryKey: [...what.queryKey, {}], queryFn }).subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(takes);
  asked = 0;
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

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
