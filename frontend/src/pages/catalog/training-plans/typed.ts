import type { OfferingSearch } from '../../../api/catalog';

/** A search as it was typed; a day is `2026-01-31`. */
export interface Typed {
  instance_type: string;
  instance_count: string;
  duration_hours: string;
  starts_after: string;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Whether a day was typed in full, and there is such a day; the picker tells what is typed at every key. */
export function isDay(text: string): boolean {
  const read = new Date(`${text}T00:00:00Z`);
  return DAY.test(text) && !Number.isNaN(read.getTime()) && read.toISOString().startsWith(text);
}

/** Word a search for the API: what was not touched is left out, and a day begins where its reader is. */
export function searchOf({ instance_type, instance_count, duration_hours, starts_after }: Typed): OfferingSearch {
  return {
    instance_type,
    ...(instance_count !== '' && { instance_count: Number(instance_count) }),
    ...(duration_hours !== '' && { duration_hours: Number(duration_hours) }),
    ...(isDay(starts_after) && { starts_after: new Date(`${starts_after}T00:00:00`).toISOString() }),
  };
}
