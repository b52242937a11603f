import { expect, test } from 'vitest';
import { bound } from './bound';

interface Draft {
  further_types?: string;
  count: string;
}

test('a field has the name of the API, the value of the draft, and changes nothing but itself', () => {
  const changes: Partial<Draft>[] = [];
  const of = bound<Draft>({ count: '1' }, (changed) => changes.push(changed), 'hyperpod.instance_groups.0');
  const types = of('further_types', 'instance_types');
  expect([types.field, types.value]).toEqual(['hyperpod.instance_groups.0.instance_types', undefined]);
  types.onChange('ml.g6.xlarge');
  of('count').onChange('2');
  expect(changes).toEqual([{ further_types: 'ml.g6.xlarge' }, { count: '2' }]);
});

test('a field of the request itself has no part before its name', () => {
  expect(bound({ tag: 'a' }, () => undefined)('tag').field).toBe('tag');
});
