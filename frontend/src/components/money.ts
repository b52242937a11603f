import type { Cost } from '../api/schema';

/** A price an hour; what is saved has a minus, and what costs less than a cent is not told as nothing. */
export function perHour({ per_hour, currency }: Pick<Cost, 'per_hour' | 'currency'>): string {
  const maximumFractionDigits = Math.abs(per_hour) < 1 ? 4 : 2;
  const format = new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency: currency || 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits,
  });
  return `${format.format(per_hour)} per hour`;
}
