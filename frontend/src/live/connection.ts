import type { ProblemBody } from '../api/schema';
import { pause } from './backoff';
import { Line, type Socket } from './line';
import { type Message, nameOf, type Topic, topicOf } from './messages';
import { Subscriptions } from './subscriptions';

/** `partial` is open, but for topics that the server does not tell of: those are read again every so often. */
export type LiveState = 'idle' | 'connecting' | 'open' | 'partial' | 'lost';

export interface Surroundings {
  /** Opens a socket with a new ticket; rejects when there is none to be had. */
  open: () => Promise<Socket>;
  /** The version that is known of an operation. */
  versionOf: (operationId: string) => number | undefined;
  onMessage: (message: Message) => void;
  /** Something about a topic may have been missed: what is shown of it has to be read again. */
  onGap: (topic: Topic) => void;
  /** Whether anybody sees the page. */
  isSeen?: () => boolean;
  random?: () => number;
}

type Timer = ReturnType<typeof setTimeout>;

// Longer than a function takes that has to start first.
const ANSWER_WITHIN = 30_000;
// How long what nobody needs stays, for the next page: a topic, and at last the connection.
const LINGER = 2_000;
// What the server does not tell of is read as often as lists are.
const READ_EVERY = 20_000;
// The server's limit for a connection.
const MOST_TOPICS = 20;
const UNAUTHENTICATED = 401;
const NOT_FOUND = 404;

/** The one WebSocket: open while anybody watches, opened again when it drops, and then told what was missed. */
export class LiveConnection {
  private readonly subscriptions: Subscriptions;
  private readonly listeners = new Set<() => void>();
  private readonly lingering = new Map<string, Timer>();
  private line: Line | null = null;
  private again: Timer | undefined;
  private overdue: Timer | undefined;
  private reading: Timer | undefined;
  private attempt = 0;
  /** Counts attempts, so that one that was given up does not come in later. */
  private turn = 0;
  private isTrying = false;
  private isReady = false;
  /** Whether the server refuses a topic that exists. */
  private isShort = false;
  private current: LiveState = 'idle';

  constructor(private readonly surroundings: Surroundings) {
    this.subscriptions = new Subscriptions(surroundings.versionOf);
  }

  get state(): LiveState {
    return this.current;
  }

  /** What is told as it happens. */
  get told(): readonly Topic[] {
    return this.isReady ? this.subscriptions.standing : [];
  }

  /** Whether everything that is watched is told as it happens, as far as it exists. */
  get tellsAll(): boolean {
    return this.current === 'open' && this.subscriptions.asking === 0;
  }

  /** Hear of changes of the state and of what is told; gives how to stop that. */
  onState(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Watch a topic; gives how to stop that. */
  watch(topic: Topic): () => void {
    clearTimeout(this.lingering.get(nameOf(topic)));
    if (this.subscriptions.add(topic)) {
      this.makeRoom();
      this.subscribe(topic);
    }
    if (this.current === 'idle') {
      this.connect();
    }
    return () => this.unwatch(topic);
  }

  /** Try at once instead of after the pause: the network is back, or somebody looks at the page again. */
  hurry(): void {
    if (this.current === 'lost' && !this.isTrying && (this.surroundings.isSeen?.() ?? true)) {
      this.connect();
    }
  }

  close(): void {
    this.turn += 1;
    this.isTrying = false;
    this.retire();
    this.dropAbandoned();
    this.become('idle');
  }

  // A topic that is given up and wanted again at once stays: the gateway may run two messages in either order.
  private unwatch(topic: Topic): void {
    if (this.subscriptions.abandon(topic)) {
      this.lingering.set(
        nameOf(topic),
        setTimeout(() => this.letGo(topic), LINGER),
      );
    }
  }

  private letGo(topic: Topic): void {
    clearTimeout(this.lingering.get(nameOf(topic)));
    this.lingering.delete(nameOf(topic));
    if (this.subscriptions.drop(topic) && this.isReady) {
      this.send({ action: 'unsubscribe', ...topic });
      this.settle();
    }
    if (this.subscriptions.size === 0) {
      this.close();
    }
  }

  private makeRoom(): void {
    const excess = Math.max(0, this.subscriptions.size - MOST_TOPICS);
    for (const topic of this.subscriptions.abandoned.slice(0, excess)) {
      this.letGo(topic);
    }
  }

  private dropAbandoned(): void {
    for (const topic of this.subscriptions.abandoned) {
      clearTimeout(this.lingering.get(nameOf(topic)));
      this.lingering.delete(nameOf(topic));
      this.subscriptions.drop(topic);
    }
  }

  private connect(): void {
    this.retire();
    if (this.current !== 'lost') {
      this.become('connecting');
    }
    this.isTrying = true;
    this.turn += 1;
    const { turn } = this;
    this.surroundings.open().then(
      (socket) => (turn === this.turn ? this.use(socket) : socket.close()),
      () => turn === this.turn && this.lost(),
    );
  }

  private use(socket: Socket): void {
    this.line = new Line(socket, {
      onOpen: () => this.opened(),
      onMessage: (message) => this.hear(message),
      onLost: () => this.lost(),
    });
  }

  private opened(): void {
    this.isTrying = false;
    this.isReady = true;
    this.isShort = false;
    this.dropAbandoned();
    for (const command of this.subscriptions.resumed()) {
      this.send(command);
    }
    this.settle();
  }

  private hear(message: Message): void {
    this.surroundings.onMessage(message);
    const missed = this.subscriptions.told(message);
    if (missed) {
      this.surroundings.onGap(missed);
    }
    switch (message.type) {
      case 'problem':
        this.refused(message.problem);
        break;
      case 'subscribed':
        this.stands(message.topic);
        break;
      case 'unsubscribed':
        this.stopped(message.topic);
        break;
    }
  }

  // What may pass, or what only a new connection heals, is asked for again over a new one, with a pause between.
  private refused({ status, retryable }: ProblemBody): void {
    if (retryable || status === UNAUTHENTICATED) {
      this.lost();
    } else if (this.subscriptions.asking > 0) {
      this.isShort ||= status !== NOT_FOUND;
      this.subscriptions.refuse();
      this.settle();
    }
  }

  private stands(name: string): void {
    const topic = topicOf(name);
    if (topic !== null && !this.subscriptions.holds(name)) {
      this.send({ action: 'unsubscribe', ...topic });
    }
    this.settle();
  }

  // Messages overtake one another: what was given up and is wanted again may be gone. Else there is room now.
  private stopped(name: string): void {
    const topic = topicOf(name);
    if (topic !== null && this.subscriptions.holds(name)) {
      this.subscribe(topic);
    } else {
      this.isShort = false;
      for (const each of this.subscriptions.refused) {
        this.subscribe(each);
      }
      this.settle();
    }
  }

  /** What is shown is up to date once everything that is watched has been answered. */
  private settle(): void {
    if (this.subscriptions.asking > 0) {
      this.overdue ??= setTimeout(() => this.lost(), ANSWER_WITHIN);
      this.say();
      return;
    }
    clearTimeout(this.overdue);
    this.overdue = undefined;
    this.readRefused();
    this.attempt = 0;
    this.become(this.isShort && this.subscriptions.refused.length > 0 ? 'partial' : 'open');
  }

  private readRefused(): void {
    clearTimeout(this.reading);
    if (this.subscriptions.refused.length > 0) {
      this.reading = setTimeout(() => {
        for (const topic of this.subscriptions.refused) {
          this.surroundings.onGap(topic);
        }
        this.readRefused();
      }, READ_EVERY);
    }
  }

  private lost(): void {
    this.isTrying = false;
    this.retire();
    this.become('lost');
    this.again = setTimeout(() => this.connect(), pause(this.attempt, this.surroundings.random));
    this.attempt += 1;
  }

  /** Leave a line behind with all that was expected of it. */
  private retire(): void {
    for (const timer of [this.again, this.overdue, this.reading]) {
      clearTimeout(timer);
    }
    this.overdue = undefined;
    this.isReady = false;
    this.line?.close();
    this.line = null;
  }

  private subscribe(topic: Topic): void {
    if (this.isReady) {
      this.send(this.subscriptions.asked(topic));
      this.settle();
    }
  }

  private send(command: object): void {
    this.line?.send(command);
  }

  private become(state: LiveState): void {
    this.current = state;
    this.say();
  }

  private say(): void {
    for (const listener of this.listeners) {
      listener();
    }
  }
}
