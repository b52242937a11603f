import { useEffect, useState } from 'react';
import { useServerClock } from '../live/live-context';

/** The server's time in milliseconds, again every so often; it stands where `every` is null. */
export function useNow(every: number | null): number {
  const clock = useServerClock();
  const [now, setNow] = useState(() => clock.now());
  useEffect(() => {
    if (every === null) {
      return;
    }
    const timer = setInterval(() => setNow(clock.now()), every);
    return () => clearInterval(timer);
  }, [clock, every]);
  return Math.max(now, every === null ? 0 : clock.now());
}
