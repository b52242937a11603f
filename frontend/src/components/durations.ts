const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration as people say it: `45 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function spoken(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < MINUTE) {
    return `${whole} s`;
  }
  if (whole < HOUR) {
    return joined(whole, MINUTE, 'min', 1, 's');
  }
  return whole < DAY ? joined(whole, HOUR, 'h', MINUTE, 'min') : joined(whole, DAY, 'd', HOUR, 'h');
}

/** How long ago, or ahead, a moment is: `just now`, `5 min ago`, `in 2 h`. */
export function relative(moment: number, now: number): string {
  const seconds = Math.round((now - moment) / 1000);
  if (Math.abs(seconds) < 10) {
    return 'just now';
  }
  const distance = coarse(Math.abs(seconds));
  return seconds > 0 ? `${distance} ago` : `in ${distance}`;
}

/** The seconds from one instant to another, each as the API writes it; until `now` where the other is not known. */
export function secondsBetween(start: string | null | undefined, end: string | null | undefined, now: number) {
  return start ? Math.max(0, ((end ? Date.parse(end) : now) - Date.parse(start)) / 1000) : null;
}

function coarse(seconds: number): string {
  if (seconds < MINUTE) {
    return `${seconds} s`;
  }
  if (seconds < HOUR) {
    return `${Math.floor(seconds / MINUTE)} min`;
  }
  return seconds < DAY ? `${Math.floor(seconds / HOUR)} h` : `${Math.floor(seconds / DAY)} d`;
}

function joined(seconds: number, unit: number, name: string, smaller: number, smallerName: string): string {
  const rest = Math.floor((seconds % unit) / smaller);
  return rest === 0
    ? `${Math.floor(seconds / unit)} ${name}`
    : `${Math.floor(seconds / unit)} ${name} ${rest} ${smallerName}`;
}
