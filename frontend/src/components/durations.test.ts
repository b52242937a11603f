import { expect, it } from 'vitest';
import { relative, secondsBetween, spoken } from './durations';

it.each([
  [0, '0 s'],
  [-3, '0 s'],
  [59.4, '59 s'],
  [59.6, '1 min'],
  [200, '3 min 20 s'],
  [3600, '1 h'],
  [7500, '2 h 5 min'],
  [100 * 3600, '4 d 4 h'],
])('says %d seconds as %s', (seconds, said) => {
  expect(spoken(seconds)).toBe(said);
});

it.each([
  [4, 'just now'],
  [-4, 'just now'],
  [45, '45 s ago'],
  [119, '1 min ago'],
  [-7200, 'in 2 h'],
  [90_000, '1 d ago'],
])('says %d seconds past as %s', (seconds, said) => {
  expect(relative(0, seconds * 1000)).toBe(said);
});

it('measures until now what has no end yet, and nothing that has not begun', () => {
  const now = Date.parse('2026-01-01T09:01:00Z');
  expect(secondsBetween('2026-01-01T09:00:00Z', null, now)).toBe(60);
  expect(secondsBetween('2026-01-01T09:00:00Z', '2026-01-01T09:00:30Z', now)).toBe(30);
  expect(secondsBetween('2026-01-01T09:02:00Z', null, now)).toBe(0);
  expect(secondsBetween(null, null, now)).toBeNull();
});
