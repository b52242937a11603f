import type { Cost } from '../api/schema';

/** A price an hour; what is saved has a minus. */
export function perHour(cost: Cost): string {
  const format = new Intl.NumberFormat(undefined, { style: 'currency', currency: cost.currency || 'USD' });
  return `${format.format(cost.per_hour)} per hour`;
}
