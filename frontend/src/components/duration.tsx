import { secondsBetween, spoken } from './durations';
import { useNow } from './use-now';

interface Props {
  from: string | null | undefined;
  /** Its end; where there is none yet, the duration goes on. */
  to?: string | null;
}

const SECOND = 1_000;

/** How long something took, or has taken so far. */
export function Duration({ from, to }: Props) {
  const now = useNow(from && !to ? SECOND : null);
  const seconds = secondsBetween(from, to, now);
  return <>{seconds === null ? '-' : spoken(seconds)}</>;
}
