import { pause } from './backoff';
import { type Message, messageOf, type Topic } from './messages';
import { Subscriptions } from './subscriptions';

export type LiveState = 'idle' | 'connecting' | 'open' | 'lost';

/** The part of a WebSocket that is used. */
export interface Socket {
  send(text: string): void;
  close(): void;
  onopen: ((event: Event) => unknown) | null;
  onmessage: ((event: MessageEvent) => unknown) | null;
  onclose: ((event: CloseEvent) => unknown) | null;
}

export interface Surroundings {
  /** Opens a socket with a new ticket; rejects when there is none to be had. */
  open: () => Promise<Socket>;
  /** The version that is known of an operation. */
  versionOf: (operationId: string) => number | undefined;
  onMessage: (message: Message) => void;
  /** Something about a topic may have been missed: what is shown of it has to be read again. */
  onGap: (topic: Topic) => void;
  random?: () => number;
}

// Ten minutes of silence close a connection; some that are between close it earlier.
const PING_EVERY = 4 * 60_000;
const PONG_WITHIN = 20_000;
// How long a connection that nobody needs stays open, for the next page.
const LINGER = 2_000;

/** The one WebSocket: open while anybody watches, opened again when it drops, and then told what was missed. */
export class LiveConnection {
  private readonly subscriptions: Subscriptions;
  private readonly listeners = new Set<() => void>();
  private socket: Socket | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pong: ReturnType<typeof setTimeout> | undefined;
  private attempt = 0;
  /** Counts attempts, so that one that was given up does not come in later. */
  private turn = 0;
  private isReady = false;
  /** How many subscriptions of a new connection are not answered yet. */
  private unanswered = 0;
  private current: LiveState = 'idle';

  constructor(private readonly surroundings: Surroundings) {
    this.subscriptions = new Subscriptions(surroundings.versionOf);
  }

  get state(): LiveState {
    return this.current;
  }

  /** Hear of changes of the state; gives how to stop that. */
  onState(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Watch a topic; gives how to stop that. */
  watch(topic: Topic): () => void {
    if (this.subscriptions.add(topic)) {
      this.say(() => this.subscriptions.asked(topic));
    }
    if (this.current === 'idle') {
      this.connect();
    }
    return () => this.unwatch(topic);
  }

  /** Try at once instead of after the pause: the network is back, or somebody looks at the page again. */
  hurry(): void {
    if (this.current === 'lost') {
      clearTimeout(this.timer);
      this.connect();
    }
  }

  close(): void {
    clearTimeout(this.timer);
    clearTimeout(this.pong);
    const { socket } = this;
    this.turn += 1;
    this.socket = null;
    this.isReady = false;
    socket?.close();
    this.become('idle');
  }

  private unwatch(topic: Topic): void {
    if (this.subscriptions.remove(topic)) {
      this.say(() => ({ action: 'unsubscribe', ...topic }));
    }
    setTimeout(() => this.subscriptions.size === 0 && this.close(), LINGER);
  }

  private connect(): void {
    if (this.current !== 'lost') {
      this.become('connecting');
    }
    this.turn += 1;
    const { turn } = this;
    this.surroundings.open().then(
      (socket) => (turn === this.turn ? this.use(socket) : socket.close()),
      () => turn === this.turn && this.lost(),
    );
  }

  private use(socket: Socket): void {
    this.socket = socket;
    socket.onopen = () => this.opened();
    socket.onmessage = ({ data }) => this.told(messageOf(data));
    socket.onclose = () => this.socket === socket && this.lost();
  }

  private opened(): void {
    this.isReady = true;
    const commands = this.subscriptions.resumed();
    this.unanswered = commands.length;
    for (const command of commands) {
      this.send(command);
    }
    this.timer = setTimeout(() => this.ping(), PING_EVERY);
  }

  private told(message: Message | null): void {
    clearTimeout(this.pong);
    if (message === null) {
      return;
    }
    this.surroundings.onMessage(message);
    const missed = this.subscriptions.told(message);
    if (missed) {
      this.surroundings.onGap(missed);
    }
    this.answered(message);
  }

  /** What is shown is up to date once everything that is watched has been answered. */
  private answered(message: Message): void {
    if (this.unanswered > 0 && (message.type === 'subscribed' || message.type === 'problem')) {
      this.unanswered -= 1;
      if (this.unanswered === 0) {
        this.attempt = 0;
        this.become('open');
      }
    }
  }

  private ping(): void {
    const { socket } = this;
    this.send({ action: 'ping' });
    this.pong = setTimeout(() => {
      if (socket !== null && socket === this.socket) {
        socket.close();
        this.lost();
      }
    }, PONG_WITHIN);
    this.timer = setTimeout(() => this.ping(), PING_EVERY);
  }

  private lost(): void {
    clearTimeout(this.timer);
    clearTimeout(this.pong);
    this.socket = null;
    this.isReady = false;
    this.become('lost');
    this.timer = setTimeout(() => this.connect(), pause(this.attempt, this.surroundings.random));
    this.attempt += 1;
  }

  private say(command: () => object): void {
    if (this.isReady) {
      this.send(command());
    }
  }

  private send(command: object): void {
    this.socket?.send(JSON.stringify(command));
  }

  private become(state: LiveState): void {
    if (state !== this.current) {
      this.current = state;
      for (const listener of this.listeners) {
        listener();
      }
    }
  }
}
