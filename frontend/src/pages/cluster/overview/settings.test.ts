import { describe, expect, it } from 'vitest';
import { settingsOf, touchedOf } from './settings';

const PRESENT = { owner_groups: ['ml'], company_tags: { team: 'a', cost: '1' } };
const FIRST = settingsOf(PRESENT);
const NOTHING = { owners: [], tags: [] };

describe('what is sent of owners and tags', () => {
  it('is nothing where nothing was changed, in whatever order', () => {
    const turned = { ...FIRST, tags: [...FIRST.tags].reverse() };
    expect(touchedOf(FIRST, turned, PRESENT)).toEqual({});
  });

  it('is only the side that was touched, as a whole, without rows that stayed empty', () => {
    expect(touchedOf(FIRST, { ...FIRST, owners: ['ml', ' ops ', ''] }, PRESENT)).toEqual({
      owner_groups: ['ml', 'ops'],
    });
    const tags = [
      { key: ' team', value: 'b ' },
      { key: '', value: '' },
    ];
    expect(touchedOf(FIRST, { ...FIRST, tags }, PRESENT)).toEqual({ company_tags: { team: 'b' } });
  });

  it('can be that there are none any more', () => {
    expect(touchedOf(FIRST, NOTHING, PRESENT)).toEqual({ owner_groups: [], company_tags: {} });
  });

  it('keeps what others added while the form was open', () => {
    const meanwhile = { owner_groups: ['ml', 'theirs'], company_tags: { team: 'a', cost: '1', theirs: 'x' } };
    const edited = { owners: ['own'], tags: [{ key: 'team', value: 'b' }] };
    expect(touchedOf(FIRST, edited, meanwhile)).toEqual({
      owner_groups: ['theirs', 'own'],
      company_tags: { team: 'b', theirs: 'x' },
    });
  });
});
