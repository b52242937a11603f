import { unreachable } from '../api/problems';
import type { Tokens } from './pkce';

/** `another`: somebody else signed in, and nothing of this session goes on. */
export type SessionState = 'signed-in' | 'expired' | 'another';

export interface Issuer {
  renew: (refresh: string) => Promise<Tokens>;
  isRefusal: (thrown: unknown) => boolean;
}

// A token that ends on its way is refused; so it is renewed a little earlier.
const MARGIN = 60_000;

/**
 * The tokens of one person, in memory only.
 *
 * They are renewed silently. When they cannot be any more, whoever asks for one waits until the person has signed in
 * again, and then goes on: no form loses what it sends. Where it is somebody else who signs in, nothing goes on: what one
 * person was about to do is not done in the name of another.
 */
export class Session {
  private renewal: Promise<void> | null = null;
  private waiting: (() => void)[] = [];
  private readonly listeners = new Set<() => void>();
  private current: SessionState = 'signed-in';

  constructor(
    private tokens: Tokens,
    private readonly issuer: Issuer,
    private readonly now: () => number = Date.now,
  ) {}

  get state(): SessionState {
    return this.current;
  }

  onState(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Give a token that is good as far as is known; `refused` is one that the API did not take. */
  async token(refused?: string): Promise<string> {
    while (this.current !== 'signed-in' || !this.isGood(refused)) {
      await (this.current === 'signed-in' ? this.renew() : this.again());
    }
    return this.tokens.access;
  }

  /** Go on with the tokens of a new sign-in, where they are the same person's. */
  signedIn(tokens: Tokens): void {
    if (identityIn(tokens.access) !== identityIn(this.tokens.access)) {
      this.become('another');
      return;
    }
    this.tokens = tokens;
    this.become('signed-in');
    const woken = this.waiting;
    this.waiting = [];
    for (const wake of woken) {
      wake();
    }
  }

  /** Whose tokens these are, as the token says: to be shown, never to decide by. */
  get person(): string {
    return claimsIn(this.tokens.access).username ?? '';
  }

  private isGood(refused: string | undefined): boolean {
    return this.tokens.access !== refused && this.now() < this.tokens.ends - MARGIN;
  }

  private again(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private renew(): Promise<void> {
    this.renewal ??= this.renewed().finally(() => {
      this.renewal = null;
    });
    return this.renewal;
  }

  private async renewed(): Promise<void> {
    const { refresh } = this.tokens;
    if (refresh === undefined) {
      this.become('expired');
      return;
    }
    try {
      this.tokens = await this.issuer.renew(refresh);
    } catch (thrown) {
      if (!this.issuer.isRefusal(thrown)) {
        throw unreachable();
      }
      this.become('expired');
    }
  }

  private become(state: SessionState): void {
    this.current = state;
    for (const listener of this.listeners) {
      listener();
    }
  }
}

/** Who a token is for: names may be given anew, subjects are not. */
function identityIn(token: string): string {
  const { sub, username } = claimsIn(token);
  return sub ?? username ?? '';
}

function claimsIn(token: string): { sub?: string; username?: string } {
  try {
    const [, claims = ''] = token.split('.');
    const read: unknown = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof read === 'object' && read !== null ? read : {};
  } catch {
    return {};
  }
}
