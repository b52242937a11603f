import { type Message, toldAt } from './messages';

// What nobody sees in a duration, in milliseconds.
const LEAP = 2_000;

/**
 * The server's time, as far as it has been told: what goes on is measured against it.
 *
 * A browser's clock may be wrong, and on a local host simulated hours pass within seconds.
 */
export class ServerClock {
  private ahead = 0;
  private known = false;
  private readonly listeners = new Set<() => void>();

  constructor(private readonly local: () => number = Date.now) {}

  now(): number {
    return this.local() + this.ahead;
  }

  /** Hear of leaps; gives how to stop that. */
  onLeap(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Hear what the server says. Only an answer to a subscription is sure to be of this very moment. */
  hear(message: Message): void {
    const at = toldAt(message);
    if (at !== undefined) {
      this.told(Date.parse(at), message.type === 'subscribed');
    }
  }

  /** Hear of a moment that has been, or that is now. */
  told(moment: number, isNow = false): void {
    const ahead = moment - this.local();
    if (isNow || !this.known || ahead > this.ahead) {
      const leaps = Math.abs(ahead - this.ahead) > LEAP;
      this.ahead = ahead;
      this.known = true;
      if (leaps) {
        this.leapt();
      }
    }
  }

  private leapt(): void {
    for (const listener of this.listeners) {
      listener();
    }
  }
}
