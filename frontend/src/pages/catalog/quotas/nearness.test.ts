import { expect, it } from 'vitest';
import type { QuotaView } from '../../../api/schema';
import { increase, nearestFirst, shareOf } from './nearness';

function quota(name: string, value: number | null, used: number | null): QuotaView {
  return { name, service: 'vpc', code: 'L-1', value, used, available: null };
}

it('orders quotas by nearness to their limit, a quota of nothing as used up and the unknown last', () => {
  const quotas = [quota('unread', null, 3), quota('half', 10, 5), quota('uncounted', 10, null), quota('full', 5, 5)];
  const order = nearestFirst([...quotas, quota('none', 0, 0), quota('free', 4, 0)]).map(({ name }) => name);
  expect(order).toEqual(['full', 'none', 'half', 'free', 'unread', 'uncounted']);
});

it('never takes what is not known for nothing', () => {
  expect([shareOf(quota('a', 10, null)), shareOf(quota('b', null, 0)), shareOf(quota('c', 10, 0))]).toEqual([
    null,
    null,
    0,
  ]);
});

it('words the request to AWS', () => {
  expect(increase({ service: 'sagemaker', code: 'L-99F57CA5' }, 20, 'us-west-2')).toBe(
    'aws service-quotas request-service-quota-increase --service-code sagemaker --quota-code L-99F57CA5 ' +
      '--desired-value 20 --region us-west-2',
  );
});
