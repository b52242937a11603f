import { expect, test } from 'vitest';
import { perHour } from './money';

const told = (per_hour: number) => perHour({ per_hour, currency: 'USD' }).replace(/[^\d.-]/g, '');

test('a price is told to the cent, and one below a dollar as exactly as AWS lists it', () => {
  expect([told(1.2082), told(0.1), told(0.045), told(0.0061)]).toEqual(['1.21', '0.10', '0.045', '0.0061']);
});

test('a small saving is not told as nothing', () => {
  expect(told(-0.0049)).toBe('-0.0049');
});
