import { expect, it } from 'vitest';
import { namesIn } from './names';

it('reads each name once, however they are parted', () => {
  expect(namesIn(' Bucket,  Vpc\nBucket ,')).toEqual(['Bucket', 'Vpc']);
  expect(namesIn('  ')).toEqual([]);
});
