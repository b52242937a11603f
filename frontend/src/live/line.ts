import { type Message, messageOf } from './messages';

/** The part of a WebSocket that is used. */
export interface Socket {
  send(text: string): void;
  close(): void;
  onopen: ((event: Event) => unknown) | null;
  onmessage: ((event: MessageEvent) => unknown) | null;
  onclose: ((event: CloseEvent) => unknown) | null;
}

interface Events {
  onOpen: () => void;
  onMessage: (message: Message) => void;
  /** The socket closed, or is silent where it has to answer. */
  onLost: () => void;
}

// Ten minutes of silence close a connection; some that are between close it earlier.
const PING_EVERY = 4 * 60_000;
const PONG_WITHIN = 20_000;

/** One socket from its opening to its end, kept open by pings; once it is closed it tells nothing more. */
export class Line {
  private isOpen = false;
  private beat: ReturnType<typeof setTimeout> | undefined;
  private pong: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly events: Events,
  ) {
    socket.onopen = () => {
      this.isOpen = true;
      this.beat = setTimeout(() => this.ping(), PING_EVERY);
      events.onOpen();
    };
    socket.onmessage = ({ data }) => this.told(messageOf(data));
    socket.onclose = () => events.onLost();
  }

  /** Send a command; before the socket is open, and after its end, nothing is sent. */
  send(command: object): void {
    if (this.isOpen) {
      this.socket.send(JSON.stringify(command));
    }
  }

  close(): void {
    this.isOpen = false;
    clearTimeout(this.beat);
    clearTimeout(this.pong);
    this.socket.onopen = null;
    this.socket.onmessage = null;
    this.socket.onclose = null;
    this.socket.close();
  }

  private told(message: Message | null): void {
    clearTimeout(this.pong);
    if (message !== null && this.isOpen) {
      this.events.onMessage(message);
    }
  }

  private ping(): void {
    this.send({ action: 'ping' });
    this.pong = setTimeout(() => this.events.onLost(), PONG_WITHIN);
    this.beat = setTimeout(() => this.ping(), PING_EVERY);
  }
}
