import { expect, it } from 'vitest';
import { lookOf } from './conditions';

it('warns of what does not hold, but not of what is not there on purpose', () => {
  expect(lookOf({ status: 'True', reason: 'Stands' })).toBe('success');
  expect(lookOf({ status: 'False', reason: 'Failed' })).toBe('warning');
  expect(lookOf({ status: 'False', reason: 'Removed' })).toBe('stopped');
  expect(lookOf({ status: 'Unknown', reason: 'Absent' })).toBe('not-started');
});
