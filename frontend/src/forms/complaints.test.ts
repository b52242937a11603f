import { expect, it } from 'vitest';
import { complaintsIn } from '../api/problems';
import { asFindings } from './complaints';

it('takes a complaint to its field with all that it says', () => {
  const complaint = { field: 'tag', message: 'is taken', allowed: ['a'], remedy: 'Take another.' };
  expect(complaintsIn(asFindings([complaint]))).toEqual([complaint]);
});
