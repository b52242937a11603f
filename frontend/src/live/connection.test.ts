import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { begin, connection, newest, opened, problem, settled, subscribed, world } from './connection.fixture';
import { operation } from './operations.fixture';

beforeEach(begin);
afterEach(() => vi.useRealTimers());

it('is up to date once everything that is watched was answered, and reads it again the first time', async () => {
  const live = await opened({ cluster_tag: 'first' }, { mine: true });
  expect(newest().sent).toEqual([
    { action: 'subscribe', cluster_tag: 'first' },
    { action: 'subscribe', mine: true },
  ]);
  newest().tell(subscribed('caller#ann', '2026-01-01T09:00:00Z'));
  expect(live.state).toBe('connecting');
  newest().tell(subscribed('cluster#first', '2026-01-01T09:00:00Z'));
  expect(live.state).toBe('open');
  expect(world.gaps).toEqual([{ mine: true }, { cluster_tag: 'first' }]);
});

it('goes on where it was: with the newest moment it was told, and the version it has', async () => {
  const live = await opened({ operation_id: 'op-1' });
  newest().tell(subscribed('operation#op-1', '2026-01-01T09:00:00Z'));
  newest().tell({ type: 'operation', operation_id: 'op-1', version: 7, operation: operation(7) });
  newest().tell({ type: 'operation', operation_id: 'op-1', version: 3, operation: operation(3) });
  world.version = 7;
  world.gaps.length = 0;
  newest().drop();
  expect(live.state).toBe('lost');
  await vi.advanceTimersByTimeAsync(500);
  newest().open();
  expect(newest().sent).toEqual([
    { action: 'subscribe', operation_id: 'op-1', after: '2026-01-01T09:00:07Z', after_version: 7 },
  ]);
  newest().tell(subscribed('operation#op-1', '2026-01-01T09:05:00Z'));
  expect([live.state, world.gaps]).toEqual(['open', []]);
});

it('has everything read again where more was missed than is sent again', async () => {
  await opened({ cluster_tag: 'first' });
  newest().tell(subscribed('cluster#first', '2026-01-01T09:00:00Z'));
  world.gaps.length = 0;
  newest().drop();
  await vi.advanceTimersByTimeAsync(500);
  newest().open();
  newest().tell(subscribed('cluster#first', '2026-01-01T10:00:00Z', false));
  expect(world.gaps).toEqual([{ cluster_tag: 'first' }]);
});

it('tries again later and later, and at once when somebody looks', async () => {
  const live = await opened({ mine: true });
  newest().tell(subscribed('caller#ann', '2026-01-01T09:00:00Z'));
  world.refuse = true;
  newest().drop();
  const before = world.attempts;
  await vi.advanceTimersByTimeAsync(500 + 1_000 + 1_999);
  expect(world.attempts).toBe(before + 2);
  live.hurry();
  expect(world.attempts).toBe(before + 3);
});

it('shares a subscription between those who watch the same, and gives it up with the last of them', async () => {
  const live = await opened({ mine: true });
  const stop = live.watch({ cluster_tag: 'first' });
  const stopToo = live.watch({ cluster_tag: 'first' });
  stop();
  expect(newest().sent).toHaveLength(2);
  stopToo();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(newest().sent.at(-1)).toEqual({ action: 'unsubscribe', cluster_tag: 'first' });
});

it('watches everything by the server’s name for it', async () => {
  const live = await opened({ all: true });
  expect(newest().sent).toEqual([{ action: 'subscribe', all: true }]);
  newest().tell(subscribed('all', '2026-01-01T09:00:00Z'));
  expect([live.state, world.gaps]).toEqual(['open', [{ all: true }]]);
  newest().tell(subscribed('alligators', '2026-01-01T09:00:00Z'));
  expect(newest().sent).toHaveLength(1);
});

it('closes when nobody watches any more', async () => {
  const live = connection();
  const stop = live.watch({ mine: true });
  await settled();
  newest().open();
  stop();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(newest().close).toHaveBeenCalled();
  expect(live.state).toBe('idle');
});

it('does not use a connection that was given up before it came', async () => {
  const live = connection();
  live.watch({ mine: true })();
  live.close();
  live.watch({ cluster_tag: 'first' });
  await settled();
  const [late, wanted] = world.sockets;
  expect(late?.close).toHaveBeenCalled();
  late?.open();
  wanted?.open();
  expect([late?.sent, wanted?.sent]).toEqual([[], [{ action: 'subscribe', cluster_tag: 'first' }]]);
});

it('notices a line that is silent: a ping without an answer', async () => {
  const live = await opened({ mine: true });
  newest().tell(subscribed('caller#ann', '2026-01-01T09:00:00Z'));
  await vi.advanceTimersByTimeAsync(4 * 60_000);
  newest().tell({ type: 'pong' });
  await vi.advanceTimersByTimeAsync(4 * 60_000);
  expect(live.state).toBe('open');
  await vi.advanceTimersByTimeAsync(20_000);
  expect(live.state).toBe('lost');
});

it('leaves aside what a newer API says', async () => {
  await opened({ mine: true });
  newest().onmessage?.({ data: '{"type": "weather", "of": 1}' } as MessageEvent);
  newest().onmessage?.({ data: 'no JSON' } as MessageEvent);
  expect(world.messages).toEqual([]);
});

it('does not hurry while nobody looks, nor beside an attempt that is on its way', async () => {
  const live = await opened({ mine: true });
  newest().drop();
  world.isSeen = false;
  live.hurry();
  await settled();
  expect(world.attempts).toBe(1);
  world.isSeen = true;
  live.hurry();
  live.hurry();
  await settled();
  // The socket has come, and is not open yet.
  live.hurry();
  await vi.advanceTimersByTimeAsync(500);
  expect([world.attempts, world.sockets.length]).toEqual([2, 2]);
});

it('leaves a socket that it gave up behind, closed and unheard', async () => {
  await opened({ mine: true });
  const [first] = world.sockets;
  const stale = first?.onmessage;
  newest().tell(problem(503, true));
  await vi.advanceTimersByTimeAsync(500);
  expect(first?.close).toHaveBeenCalledOnce();
  expect([first?.onopen, first?.onmessage, first?.onclose]).toEqual([null, null, null]);
  stale?.({ data: JSON.stringify({ type: 'pong' }) } as MessageEvent);
  expect(world.messages.map(({ type }) => type)).toEqual(['problem']);
});

it('pings a connection once at a time, however often it was opened before', async () => {
  await opened({ mine: true });
  for (let drops = 0; drops < 3; drops += 1) {
    newest().drop();
    await vi.advanceTimersByTimeAsync(15_000);
    newest().open();
    newest().tell(subscribed('caller#ann', '2026-01-01T09:00:00Z'));
  }
  await vi.advanceTimersByTimeAsync(4 * 60_000);
  const pings = world.sockets.flatMap(({ sent }) => sent.filter((each) => 'action' in each && each.action === 'ping'));
  expect(pings).toHaveLength(1);
});
