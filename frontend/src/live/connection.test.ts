import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { problemOf } from '../api/problems';
import { LiveConnection } from './connection';
import type { Socket } from './line';
import type { Message, Topic } from './messages';
import { operation } from './operations.fixture';

class FakeSocket implements Socket {
  sent: object[] = [];
  onopen: Socket['onopen'] = null;
  onmessage: Socket['onmessage'] = null;
  onclose: Socket['onclose'] = null;
  send = (text: string) => void this.sent.push(JSON.parse(text));
  close = vi.fn();
  tell = (message: Message) => this.onmessage?.({ data: JSON.stringify(message) } as MessageEvent);
  open = () => this.onopen?.({} as Event);
  drop = () => this.onclose?.({} as CloseEvent);
}

let sockets: FakeSocket[];
let messages: Message[];
let gaps: Topic[];
let version: number | undefined;
let refuse: boolean;
let attempts: number;
let isSeen: boolean;

const settled = () => vi.advanceTimersByTimeAsync(0);
const subscribed = (topic: string, at: string, complete = true): Message => ({
  type: 'subscribed',
  topic,
  at,
  complete,
});
const problem = (status: number, retryable = false): Message => ({
  type: 'problem',
  problem: { ...problemOf(status, {}), retryable },
});
const newest = () => sockets.at(-1) ?? expect.fail('no socket');

function connection(): LiveConnection {
  return new LiveConnection({
    open: async () => {
      attempts += 1;
      if (refuse) {
        throw new Error('no ticket');
      }
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    versionOf: () => version,
    onMessage: (message) => messages.push(message),
    onGap: (topic) => gaps.push(topic),
    isSeen: () => isSeen,
    random: () => 1,
  });
}

async function opened(...topics: Topic[]): Promise<LiveConnection> {
  const live = connection();
  for (const topic of topics) {
    live.watch(topic);
  }
  await settled();
  newest().open();
  return live;
}

beforeEach(() => {
  vi.useFakeTimers();
  [sockets, messages, gaps, version, refuse, attempts, isSeen] = [[], [], [], undefined, false, 0, true];
});
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
  expect(gaps).toEqual([{ mine: true }, { cluster_tag: 'first' }]);
});

it('goes on where it was: with the newest moment it was told, and the version it has', async () => {
  const live = await opened({ operation_id: 'op-1' });
  newest().tell(subscribed('operation#op-1', '2026-01-01T09:00:00Z'));
  newest().tell({ type: 'operation', operation_id: 'op-1', version: 7, operation: operation(7) });
  newest().tell({ type: 'operation', operation_id: 'op-1', version: 3, operation: operation(3) });
  version = 7;
  gaps.length = 0;
  newest().drop();
  expect(live.state).toBe('lost');
  await vi.advanceTimersByTimeAsync(500);
  newest().open();
  expect(newest().sent).toEqual([
    { action: 'subscribe', operation_id: 'op-1', after: '2026-01-01T09:00:07Z', after_version: 7 },
  ]);
  newest().tell(subscribed('operation#op-1', '2026-01-01T09:05:00Z'));
  expect([live.state, gaps]).toEqual(['open', []]);
});

it('has everything read again where more was missed than is sent again', async () => {
  await opened({ cluster_tag: 'first' });
  newest().tell(subscribed('cluster#first', '2026-01-01T09:00:00Z'));
  gaps.length = 0;
  newest().drop();
  await vi.advanceTimersByTimeAsync(500);
  newest().open();
  newest().tell(subscribed('cluster#first', '2026-01-01T10:00:00Z', false));
  expect(gaps).toEqual([{ cluster_tag: 'first' }]);
});

it('tries again later and later, and at once when somebody looks', async () => {
  const live = await opened({ mine: true });
  newest().tell(subscribed('caller#ann', '2026-01-01T09:00:00Z'));
  refuse = true;
  newest().drop();
  const before = attempts;
  await vi.advanceTimersByTimeAsync(500 + 1_000 + 1_999);
  expect(attempts).toBe(before + 2);
  live.hurry();
  expect(attempts).toBe(before + 3);
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
  const [late, wanted] = sockets;
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
  expect(messages).toEqual([]);
});

it('does not hurry while nobody looks, nor beside an attempt that is on its way', async () => {
  const live = await opened({ mine: true });
  newest().drop();
  isSeen = false;
  live.hurry();
  await settled();
  expect(attempts).toBe(1);
  isSeen = true;
  live.hurry();
  live.hurry();
  await settled();
  // The socket has come, and is not open yet.
  live.hurry();
  await vi.advanceTimersByTimeAsync(500);
  expect([attempts, sockets.length]).toEqual([2, 2]);
});

it('leaves a socket that it gave up behind, closed and unheard', async () => {
  await opened({ mine: true });
  const [first] = sockets;
  const stale = first?.onmessage;
  newest().tell(problem(503, true));
  await vi.advanceTimersByTimeAsync(500);
  expect(first?.close).toHaveBeenCalledOnce();
  expect([first?.onopen, first?.onmessage, first?.onclose]).toEqual([null, null, null]);
  stale?.({ data: JSON.stringify({ type: 'pong' }) } as MessageEvent);
  expect(messages.map(({ type }) => type)).toEqual(['problem']);
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
  const pings = sockets.flatMap(({ sent }) => sent.filter((each) => 'action' in each && each.action === 'ping'));
  expect(pings).toHaveLength(1);
});

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
  gaps.length = 0;
  await vi.advanceTimersByTimeAsync(40_000);
  expect(gaps).toEqual([{ cluster_tag: 'second' }, { cluster_tag: 'second' }]);
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
  expect(gaps).toEqual([{ cluster_tag: 'gone' }]);
});

it('waits for what came to be watched during the handshake as well', async () => {
  const live = await opened({ mine: true });
  live.watch({ cluster_tag: 'first' });
  newest().tell(subscribed('cluster#first', '2026-01-01T09:00:00Z'));
  expect(live.state).toBe('connecting');
  newest().tell(subscribed('caller#ann', '2026-01-01T09:00:00Z'));
  expect(live.state).toBe('open');
});

it('keeps what one page gives up and the next one wants, without a word', async () => {
  const live = connection();
  const stop = live.watch({ cluster_tag: 'first' });
  await settled();
  newest().open();
  newest().tell(subscribed('cluster#first', '2026-01-01T09:00:00Z'));
  gaps.length = 0;
  stop();
  await vi.advanceTimersByTimeAsync(1_999);
  live.watch({ cluster_tag: 'first' });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(newest().sent).toHaveLength(1);
  expect([live.state, gaps]).toEqual(['open', []]);
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
