import { expect, it } from 'vitest';
import { rolloutOf, UNTOUCHED } from './rollout';

it('sends nothing of a rollout that nobody touched', () => {
  expect(rolloutOf(UNTOUCHED)).toBeUndefined();
});

it('sends nodes or percent, never both, and only what was filled in', () => {
  expect(rolloutOf({ ...UNTOUCHED, size: '2', of: 'batch_size' })).toEqual({ batch_size: 2 });
  expect(rolloutOf({ ...UNTOUCHED, size: '50', wait: '60', alarms: 'gpu-errors, cpu' })).toEqual({
    batch_percentage: 50,
    wait_seconds: 60,
    alarms: ['gpu-errors', 'cpu'],
  });
});
