const FIRST = 500;
const LONGEST = 15_000;

/** How long to wait before an attempt, in milliseconds: longer each time, and never all clients at once. */
export function pause(attempt: number, random: () => number = Math.random): number {
  const longest = Math.min(LONGEST, FIRST * 2 ** attempt);
  return longest / 2 + (random() * longest) / 2;
}
