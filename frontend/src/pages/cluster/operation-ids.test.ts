import { expect, it } from 'vitest';
import { partsOf } from './operation-ids';

const ID = '01M8PQ8NF148Y7CQKV5FKS5X12';

it('finds the operations that a text names', () => {
  expect(partsOf(`operation ${ID} is at work`)).toEqual([
    { at: 0, words: 'operation ', isOperation: false },
    { at: 10, words: ID, isOperation: true },
    { at: 36, words: ' is at work', isOperation: false },
  ]);
  expect(partsOf(ID).map(({ isOperation }) => isOperation)).toEqual([true]);
});

it('leaves other long words alone', () => {
  expect(partsOf(`stack-${ID}X and nothing`).some(({ isOperation }) => isOperation)).toBe(false);
  expect(partsOf('')).toEqual([]);
});
