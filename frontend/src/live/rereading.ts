import type { QueryClient, QueryKey } from '@tanstack/react-query';

/** What of the cache is to be read again: what a key begins, or just that one. */
export interface Outdated {
  queryKey: QueryKey;
  exact?: boolean;
}

/** Has something read again where it is on the screen. */
export type Reread = (what: Outdated) => void;

// However much is told of a large fleet, a list is left alone for a while once it was read, in milliseconds: the more
// pages of it there are, the longer they take.
const SHORTEST_PAUSE = 2_000;
const LONGEST_PAUSE = 20_000;
const PAUSE_PER_READING = 4;

/** Reads again what is told to be outdated: at once, and then once for all that is told until a while after that. */
export class Rereading {
  /** What is being read, or was just now, and whether it was told to be outdated since. */
  private readonly going = new Map<string, boolean>();

  constructor(private readonly cache: QueryClient) {}

  readonly ask: Reread = (what) => {
    const name = JSON.stringify(what);
    if (this.going.has(name)) {
      this.going.set(name, true);
    } else {
      this.going.set(name, false);
      void this.read(name, what);
    }
  };

  private async read(name: string, what: Outdated): Promise<void> {
    const began = Date.now();
    // An answer that was on its way is given up: it may be of before the change.
    await this.cache.invalidateQueries(what);
    await passed(Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, PAUSE_PER_READING * (Date.now() - began))));
    const again = this.going.get(name);
    this.going.delete(name);
    if (again) {
      this.ask(what);
    }
  }
}

function passed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
