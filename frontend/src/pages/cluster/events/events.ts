import type { ClusterEvent } from '../../../api/schema';

export interface EventFilter {
  level: string | null;
  text: string;
}

export const EVERY_EVENT: EventFilter = { level: null, text: '' };

/** Whether a filter leaves nothing out. */
export function isOpen({ level, text }: EventFilter): boolean {
  return level === null && text.trim() === '';
}

/** The events of a level, in any part of which a text stands, whatever its case. */
export function matching(events: readonly ClusterEvent[], { level, text }: EventFilter): ClusterEvent[] {
  const wanted = text.trim().toLowerCase();
  return events.filter(
    (event) => (level === null || event.level === level) && (wanted === '' || wordsOf(event).includes(wanted)),
  );
}

/** The levels that occur, as AWS calls them. */
export function levelsOf(events: readonly ClusterEvent[]): string[] {
  return [...new Set(events.map(({ level }) => level))].sort();
}

export function isOfInstance({ instance_id }: ClusterEvent): boolean {
  return Boolean(instance_id);
}

function wordsOf({ message, cause, instance_group, instance_id, resource_type, kind }: ClusterEvent): string {
  return [message, cause, instance_group, instance_id, resource_type, kind].filter(Boolean).join(' ').toLowerCase();
}
