import { relative } from './durations';
import { useNow } from './use-now';

interface Props {
  /** An instant as the API writes it. */
  at: string | null | undefined;
  /** How long ago it is, instead of the local time. */
  as?: 'local' | 'relative';
}

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const HALF_MINUTE = 30_000;

/** A moment in the reader's time; UTC, and the local time beside a relative one, on hover. */
export function Time({ at, as = 'local' }: Props) {
  const now = useNow(as === 'relative' ? HALF_MINUTE : null);
  const moment = at ? Date.parse(at) : Number.NaN;
  if (at === null || at === undefined || Number.isNaN(moment)) {
    return <>-</>;
  }
  const local = LOCAL.format(moment);
  const utc = `${new Date(moment).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  return (
    <time dateTime={at} title={as === 'relative' ? `${local} (${utc})` : utc}>
      {as === 'relative' ? relative(moment, now) : local}
    </time>
  );
}
