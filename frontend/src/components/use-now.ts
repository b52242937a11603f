import { useEffect, useReducer } from 'react';
import { useServerClock } from '../live/live-context';

/** The server's time in milliseconds, again every so often and when it leaps; only then where `every` is null. */
export function useNow(every: number | null): number {
  const clock = useServerClock();
  const [, look] = useReducer((count: number) => count + 1, 0);
  useEffect(() => clock.onLeap(look), [clock]);
  useEffect(() => {
    if (every === null) {
      return;
    }
    const timer = setInterval(look, every);
    return () => clearInterval(timer);
  }, [every]);
  return clock.now();
}
