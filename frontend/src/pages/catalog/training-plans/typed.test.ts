import { expect, it } from 'vitest';
import { isDay, searchOf } from './typed';

const NOTHING = { instance_type: 'ml.p5.48xlarge', instance_count: '', duration_hours: '', starts_after: '' };

it('sends only what was touched', () => {
  expect(searchOf(NOTHING)).toEqual({ instance_type: 'ml.p5.48xlarge' });
});

it('sends numbers as numbers, and the first instant of a day where its reader is', () => {
  const wanted = searchOf({ ...NOTHING, instance_count: '2', duration_hours: '24', starts_after: '2026-07-31' });
  expect(wanted).toEqual({
    instance_type: 'ml.p5.48xlarge',
    instance_count: 2,
    duration_hours: 24,
    starts_after: new Date(2026, 6, 31).toISOString(),
  });
});

it('sends a day only where it is one', () => {
  for (const half of ['2026-0', '2026-13-01', '2026-02-30', '2026-']) {
    expect([half, isDay(half), searchOf({ ...NOTHING, starts_after: half })]).toEqual([
      half,
      false,
      { instance_type: 'ml.p5.48xlarge' },
    ]);
  }
  expect(isDay('2028-02-29')).toBe(true);
});
