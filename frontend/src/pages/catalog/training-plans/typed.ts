import type { OfferingSearch } from '../../../api/catalog';

/** A search as it was typed; a day is `2026-01-31`. */
export interface Typed {
  instance_type: string;
  instance_count: string;
  duration_hours: string;
  starts_after: string;
}

/** Word a search for the API: what was not touched is left out, and a day begins where its reader is. */
export function searchOf({ instance_type, instance_count, duration_hours, starts_after }: Typed): OfferingSearch {
  return {
    instance_type,
    ...(instance_count !== '' && { instance_count: Number(instance_count) }),
    ...(duration_hours !== '' && { duration_hours: Number(duration_hours) }),
    ...(starts_after !== '' && { starts_after: new Date(`${starts_after}T00:00:00`).toISOString() }),
  };
}
