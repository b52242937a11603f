import { describe, expect, it } from 'vitest';
import { type Settings, touchedOf } from './settings';

const FIRST: Settings = {
  owners: ['ml'],
  tags: [
    { key: 'team', value: 'a' },
    { key: 'cost', value: '1' },
  ],
};

describe('what is sent of owners and tags', () => {
  it('is nothing where nothing was changed, in whatever order', () => {
    const turned = { ...FIRST, tags: [...FIRST.tags].reverse() };
    expect(touchedOf(FIRST, turned)).toEqual({});
  });

  it('is only the side that was touched, as a whole', () => {
    expect(touchedOf(FIRST, { ...FIRST, owners: ['ml', 'ops', ''] })).toEqual({ owner_groups: ['ml', 'ops'] });
    expect(
      touchedOf(FIRST, {
        ...FIRST,
        tags: [
          { key: 'team', value: 'b' },
          { key: '', value: '' },
        ],
      }),
    ).toEqual({
      company_tags: { team: 'b' },
    });
  });

  it('can be that there are none any more', () => {
    expect(touchedOf(FIRST, { owners: [], tags: [] })).toEqual({ owner_groups: [], company_tags: {} });
  });
});
