import { describe, expect, it } from 'vitest';
import { ago, filtersIn, searchOf, spanned, tokensOf } from './filters';

const PROPERTIES = ['cluster_tag', 'status'].map((key) => ({ key, label: key, plural: key, options: [] }));

describe('the filters of an address', () => {
  it('are those that the list has, and no empty ones', () => {
    const search = new URLSearchParams('cluster_tag=a%26b&status=&other=1');
    expect(filtersIn(search, ['cluster_tag', 'status'])).toEqual({ cluster_tag: 'a&b' });
  });

  it('go to the bar and come back unchanged', () => {
    const search = new URLSearchParams('cluster_tag=first&status=FAILED&from=2026-01-01T00%3A00%3A00Z');
    expect(searchOf(search, PROPERTIES, tokensOf(search, PROPERTIES)).toString()).toBe(search.toString());
  });

  it('hold the last value that was chosen of each', () => {
    const tokens = ['first', ' second '].map((value) => ({ propertyKey: 'cluster_tag', operator: '=', value }));
    expect(searchOf(new URLSearchParams('status=FAILED'), PROPERTIES, tokens).toString()).toBe('cluster_tag=second');
  });

  it('span a time, or none', () => {
    const search = spanned(new URLSearchParams('actor=me'), { from: '2026-01-01T00:00:00+02:00', to: 'x' });
    expect(Object.fromEntries(search)).toEqual({ actor: 'me', from: '2026-01-01T00:00:00+02:00', to: 'x' });
    expect(spanned(search, null).toString()).toBe('actor=me');
  });
});

it('counts back from the server’s time', () => {
  expect(ago(2, 'hour', Date.parse('2026-01-01T01:00:00Z'))).toBe('2025-12-31T23:00:00.000Z');
});
