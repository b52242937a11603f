import { expect, it } from 'vitest';
import type { InstanceTypeView } from '../../../api/schema';
import { acceleratorMemory, matching, wantedIn } from './matching';
import { sortedBy } from './sorting';

function type(name: string, accelerator: string | null = null): InstanceTypeView {
  return { name, accelerator, architecture: 'x86_64' } as InstanceTypeView;
}

it('reads of an address the filters of the API, and none where it names none', () => {
  const asked = new URLSearchParams('efa=false&availability_zone=us-west-2a&words=p5&type=ml.p5.48xlarge');
  expect(wantedIn(asked)).toEqual({ filters: { efa: false, availability_zone: 'us-west-2a' }, words: 'p5' });
  expect(wantedIn(new URLSearchParams('accelerated=true'))).toEqual({ filters: { accelerated: true }, words: '' });
});

it('finds types by every word, in name, accelerator and architecture', () => {
  const types = [type('ml.p5.48xlarge', 'NVIDIA H100'), type('ml.p4d.24xlarge', 'NVIDIA A100'), type('ml.c5.large')];
  const named = (words: string) => matching(types, words).map(({ name }) => name);
  expect(named('nvidia h1')).toEqual(['ml.p5.48xlarge']);
  expect(named('x86 C5')).toEqual(['ml.c5.large']);
  expect(named(' ')).toHaveLength(3);
});

it('sorts by number and by name with numbers in it, what is unknown last whichever way', () => {
  const prices = [{ price: 9.5 }, { price: null }, { price: 100 }];
  const order = (down: boolean) => sortedBy(prices, ({ price }) => price, down).map(({ price }) => price);
  expect([order(false), order(true)]).toEqual([
    [9.5, 100, null],
    [100, 9.5, null],
  ]);
  expect(sortedBy(['g5.12xlarge', 'g5.4xlarge'], (name) => name, false)).toEqual(['g5.4xlarge', 'g5.12xlarge']);
});

it('adds up the memory of all accelerators', () => {
  expect(acceleratorMemory({ ...type('a'), accelerator_count: 8, accelerator_memory_gib: 80 })).toBe(640);
});
