import { expect, it } from 'vitest';
import { interval, SOON } from './listings';

it('reads a list again every twenty seconds, and a short one sooner where people look for what others do', () => {
  expect([interval(), interval(undefined, 9)]).toEqual([20_000, 20_000]);
  expect([interval(SOON), interval(SOON, 2), interval(SOON, 9)]).toEqual([5_000, 10_000, 20_000]);
  expect([interval(60_000, 3), interval(false, 3)]).toEqual([60_000, false]);
});
