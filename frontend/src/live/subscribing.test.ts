import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { begin, connection, newest, opened, problem, settled, subscribed, world } from './connection.fixture';

beforeEach(begin);
afterEach(() => vi.useRealTimers());

it('is open where nothing is watched by the time that it is connected again', async () => {
  const live = connection();
  const stop = live.watch({ mine: true });
  await settled();
  newest().open();
  newest().drop();
  await vi.advanceTimersByTimeAsync(500);
  stop();
  newest().open();
  expect(live.state).toBe('open');
  live.watch({ cluster_tag: 'first' });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(newest().sent).toEqual([{ action: 'subscribe', cluster_tag: 'first' }]);
  newest().tell(subscribed('cluster#first', '2026-01-01T09:00:00Z'));
  expect(live.state).toBe('open');
});

it.each<[string, unknown]>([
  ['the API', problem(503, true)],
  ['the API, which forgot the connection', problem(401)],
  ['the gateway', { message: 'Internal server error', connectionId: 'c', requestId: 'r' }],
])('subscribes over a new connection to what %s could not say yes to', async (_, said) => {
  const live = await opened({ mine: true }, { cluster_tag: 'first' });
  newest().tell(subscribed('caller#ann', '2026-01-01T09:00:00Z'));
  newest().onmessage?.({ data: JSON.stringify(said) } as MessageEvent);
  expect(live.state).toBe('lost');
  await vi.advanceTimersByTimeAsync(500);
  newest().open();
  newest().tell(subscribed('caller#ann', '2026-01-01T09:00:00Z'));
  expect(live.state).toBe('lost');
  newest().tell(subscribed('cluster#first', '2026-01-01T09:00:00Z'));
  expect(live.state).toBe('open');
});

it('connects again where a subscription is not answered at all', async () => {
  const live = await opened({ mine: true });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(live.state).toBe('lost');
});

it('says that not everything is told where a connection carries no more, and reads the rest by and by', async () => {
  const live = await opened({ mine: true }, { cluster_tag: 'first' }, { cluster_tag: 'second' });
  newest().tell(problem(400));
  newest().tell(subscribed('caller#ann', '2026-01-01T09:00:00Z'));
  expect(live.state).toBe('connecting');
  newest().tell(subscribed('cluster#first', '2026-01-01T09:00:00Z'));
  expect(live.state).toBe('partial');
  world.gaps.length = 0;
  await vi.advanceTimersByTimeAsync(40_000);
  expect(world.gaps).toEqual([{ cluster_tag: 'second' }, { cluster_tag: 'second' }]);
});

it('asks again for what it could not carry once there is room', async () => {
  const live = connection();
  live.watch({ mine: true });
  const stop = live.watch({ cluster_tag: 'first' });
  live.watch({ cluster_tag: 'second' });
  await settled();
  newest().open();
  newest().tell(subscribed('caller#ann', '2026-01-01T09:00:00Z'));
  newest().tell(subscribed('cluster#first', '2026-01-01T09:00:00Z'));
  newest().tell(problem(400));
  stop();
  await vi.advanceTimersByTimeAsync(2_000);
  newest().tell({ type: 'unsubscribed', topic: 'cluster#first' });
  expect(newest().sent.at(-1)).toEqual({ action: 'subscribe', cluster_tag: 'second' });
  newest().tell(subscribed('cluster#second', '2026-01-01T09:00:00Z'));
  expect(live.state).toBe('open');
});

it('is open where there is nothing to be told of, and looks whether there is by then', async () => {
  const live = await opened({ cluster_tag: 'gone' });
  newest().tell(problem(404));
  expect(live.state).toBe('open');
  await vi.advanceTimersByTimeAsync(20_000);
  expect(world.gaps).toEqual([{ cluster_tag: 'gone' }]);
});

it('waits for what came to be watched during the handshake as well', async () => {
  const live = await opened({ mine: true });
  live.watch({ cluster_tag: 'first' });
  newest().tell(subscribed('cluster#first', '2026-01-01T09:00:00Z'));
  expect(live.state).toBe('connecting');
  newest().tell(subscribed('caller#ann', '2026-01-01T09:00:00Z'));
  expect(live.state).toBe('open');
});

it('stays open, and says that not all is told yet, while a page asks for what is new to it', async () => {
  const live = await opened({ mine: true });
  newest().tell(subscribed('caller#ann', '2026-01-01T09:00:00Z'));
  const heard: [string, boolean][] = [];
  live.onState(() => heard.push([live.state, live.tellsAll]));
  live.watch({ cluster_tag: 'first' });
  expect([live.tellsAll, live.told]).toEqual([false, [{ mine: true }]]);
  newest().tell(subscribed('cluster#first', '2026-01-01T09:00:00Z'));
  expect([live.tellsAll, live.told]).toEqual([true, [{ mine: true }, { cluster_tag: 'first' }]]);
  expect([heard.at(0), heard.at(-1)]).toEqual([
    ['open', false],
    ['open', true],
  ]);
});

it('tells nothing while the line is lost', async () => {
  const live = await opened({ mine: true });
  newest().tell(subscribed('caller#ann', '2026-01-01T09:00:00Z'));
  newest().drop();
  expect([live.tellsAll, live.told]).toEqual([false, []]);
});

it('keeps what one page gives up and the next one wants, without a word', async () => {
  const live = connection();
  const stop = live.watch({ cluster_tag: 'first' });
  await settled();
  newest().open();
  newest().tell(subscribed('cluster#first', '2026-01-01T09:00:00Z'));
  world.gaps.length = 0;
  stop();
  await vi.advanceTimersByTimeAsync(1_999);
  live.watch({ cluster_tag: 'first' });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(newest().sent).toHaveLength(1);
  expect([live.state, world.gaps]).toEqual(['open', []]);
});

it('makes room at once for what is wanted where what was given up takes it', async () => {
  const live = connection();
  const stop = live.watch({ cluster_tag: 'first' });
  for (let number = 0; number < 19; number += 1) {
    live.watch({ operation_id: `op-${number}` });
  }
  await settled();
  newest().open();
  stop();
  live.watch({ cluster_tag: 'second' });
  expect(newest().sent.slice(-2)).toEqual([
    { action: 'unsubscribe', cluster_tag: 'first' },
    { action: 'subscribe', cluster_tag: 'second' },
  ]);
});

it('puts right what the gateway ran in another order', async () => {
  await opened({ mine: true }, { cluster_tag: 'first' });
  newest().tell({ type: 'unsubscribed', topic: 'cluster#first' });
  expect(newest().sent.at(-1)).toEqual({ action: 'subscribe', cluster_tag: 'first' });
  newest().tell(subscribed('cluster#second', '2026-01-01T09:00:00Z'));
  expect(newest().sent.at(-1)).toEqual({ action: 'unsubscribe', cluster_tag: 'second' });
});
