import { expect, it } from 'vitest';
import { searchOf } from './typed';

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
