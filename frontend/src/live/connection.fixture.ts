import { expect, vi } from 'vitest';
import { problemOf } from '../api/problems';
import { LiveConnection } from './connection';
import type { Socket } from './line';
import type { Message, Topic } from './messages';

/** A socket that a test opens, speaks through and drops. */
export class FakeSocket implements Socket {
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

/** What a connection met and said, and what is so around it. */
export const world = {
  sockets: [] as FakeSocket[],
  messages: [] as Message[],
  gaps: [] as Topic[],
  version: undefined as number | undefined,
  refuse: false,
  attempts: 0,
  isSeen: true,
};

export const settled = () => vi.advanceTimersByTimeAsync(0);
export const subscribed = (topic: string, at: string, complete = true): Message => ({
  type: 'subscribed',
  topic,
  at,
  complete,
});
export const problem = (status: number, retryable = false): Message => ({
  type: 'problem',
  problem: { ...problemOf(status, {}), retryable },
});
export const newest = () => world.sockets.at(-1) ?? expect.fail('no socket');

export function connection(): LiveConnection {
  return new LiveConnection({
    open: async () => {
      world.attempts += 1;
      if (world.refuse) {
        throw new Error('no ticket');
      }
      const socket = new FakeSocket();
      world.sockets.push(socket);
      return socket;
    },
    versionOf: () => world.version,
    onMessage: (message) => world.messages.push(message),
    onGap: (topic) => world.gaps.push(topic),
    isSeen: () => world.isSeen,
    random: () => 1,
  });
}

export async function opened(...topics: Topic[]): Promise<LiveConnection> {
  const live = connection();
  for (const topic of topics) {
    live.watch(topic);
  }
  await settled();
  newest().open();
  return live;
}

/** Begin each test of a file in a world where nothing has happened, at a time that stands still. */
export function begin(): void {
  vi.useFakeTimers();
  Object.assign(world, {
    sockets: [],
    messages: [],
    gaps: [],
    version: undefined,
    refuse: false,
    attempts: 0,
    isSeen: true,
  });
}
