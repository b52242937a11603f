import { expect, it } from 'vitest';
import { WishKey } from './changing';
import { wish } from './wishes';

const detect = (tag: string) => wish('post', '/api/clusters/{tag}/drift', { path: { tag } });

it('keeps the key of a wish that is begun again because no answer came', () => {
  const key = new WishKey();
  expect(key.of(detect('first'))).toBe(key.of(detect('first')));
});

it('makes another key for another wish, and for the same one once it has begun', () => {
  const key = new WishKey();
  const first = key.of(detect('first'));
  const second = key.of(detect('second'));
  expect(second).not.toBe(first);
  key.begun();
  expect(key.of(detect('second'))).not.toBe(second);
});

it('takes the key that a wish was previewed with', () => {
  expect(new WishKey().of({ ...detect('first'), key: 'previewed' })).toBe('previewed');
});
