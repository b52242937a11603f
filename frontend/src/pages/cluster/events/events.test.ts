import { describe, expect, it } from 'vitest';
import type { ClusterEvent } from '../../../api/schema';
import { EVERY_EVENT, isOpen, levelsOf, matching } from './events';

function event(event_id: string, more: Partial<ClusterEvent> = {}): ClusterEvent {
  const at = '2026-01-01T00:00:00Z';
  const told = { at, recorded_at: at, cluster_tag: 'demo', kind: 'event', level: 'Info' } as const;
  return { ...told, event_id, message: 'Instance creation', resource_type: 'Instance', ...more };
}

const EVENTS = [event('1'), event('2', { level: 'Error', instance_id: 'i-9' }), event('3', { cause: 'No capacity' })];
const idsOf = (events: ClusterEvent[]) => events.map(({ event_id }) => event_id);

describe('the filter of events', () => {
  it('takes all in their order where nothing is wanted', () => {
    expect(idsOf(matching(EVENTS, EVERY_EVENT))).toEqual(['1', '2', '3']);
  });

  it('looks at level and at any words', () => {
    expect(idsOf(matching(EVENTS, { level: 'Error', text: '' }))).toEqual(['2']);
    expect(idsOf(matching(EVENTS, { level: null, text: ' no CAPACITY ' }))).toEqual(['3']);
    expect(idsOf(matching(EVENTS, { level: 'Info', text: 'i-9' }))).toEqual([]);
  });

  it('leaves nothing out once its words were taken back', () => {
    expect([EVERY_EVENT, { level: null, text: ' ' }].map(isOpen)).toEqual([true, true]);
    expect(
      [
        { level: null, text: 'x' },
        { level: 'Error', text: '' },
      ].map(isOpen),
    ).toEqual([false, false]);
  });

  it('offers the levels that there are, also those that nobody knew', () => {
    expect(levelsOf([...EVENTS, event('4', { level: 'Notice' })])).toEqual(['Error', 'Info', 'Notice']);
  });
});
