import { type Message, toldAt } from './messages';

/**
 * The server's time, as far as it has been told: what goes on is measured against it.
 *
 * A browser's clock may be wrong, and on a local host simulated hours pass within seconds.
 */
export class ServerClock {
  private ahead = 0;
  private known = false;

  constructor(private readonly local: () => number = Date.now) {}

  now(): number {
    return this.local() + this.ahead;
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
      this.ahead = ahead;
      this.known = true;
    }
  }
}
