import type { QueryClient, QueryFilters, QueryKey } from '@tanstack/react-query';

/** What of the cache is to be read again: what a key begins, just that one, or just what lies beneath it. */
export interface Outdated {
  queryKey: QueryKey;
  exact?: boolean;
  beneath?: boolean;
  /** Whether it is read of an index that follows what is told: an answer may be behind it, and the next one is not. */
  lags?: boolean;
}

/** Has something read again where it is on the screen. */
export type Reread = (what: Outdated) => void;

// However much is told of a large fleet, a list is left alone for a while once it was read, in milliseconds: the more
// pages of it there are, the longer they take.
const SHORTEST_PAUSE = 2_000;
const LONGEST_PAUSE = 20_000;
const PAUSE_PER_READING = 4;
// What is not answered by then is asked for again, if it was told to be outdated since.
const READ_WITHIN = 30_000;

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
      void this.read(name, what);
    }
  };

  private async read(name: string, what: Outdated, isLast = false): Promise<void> {
    this.going.set(name, false);
    const began = Date.now();
    await Promise.race([this.answered(what), passed(READ_WITHIN)]);
    await passed(Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, PAUSE_PER_READING * (Date.now() - began))));
    const again = this.going.get(name);
    this.going.delete(name);
    if (again) {
      this.ask(what);
    } else if (what.lags && !isLast) {
      void this.read(name, what, true);
    }
  }

  // An answer that is on its way may be of before the change: it is given up, or, where it is the first, followed by
  // another.
  private async answered(what: Outdated): Promise<void> {
    const filters = filtersOf(what);
    const onTheirWay = this.cache.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' });
    const first = onTheirWay.filter(({ state }) => state.data === undefined);
    await this.cache.invalidateQueries(filters);
    if (first.length > 0) {
      await this.cache.invalidateQueries({ predicate: (query) => first.includes(query) });
    }
  }
}

function filtersOf({ queryKey, exact = false, beneath = false }: Outdated): QueryFilters {
  return beneath ? { queryKey, predicate: (query) => query.queryKey.length > queryKey.length } : { queryKey, exact };
}

function passed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
