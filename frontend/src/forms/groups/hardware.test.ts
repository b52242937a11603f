import { expect, test } from 'vitest';
import type { InstanceTypeView, QuotaView } from '../../api/schema';
import { hardwareOf, isOffered, quotasOf, typeOptions } from './hardware';

const G6: InstanceTypeView = {
  name: 'ml.g6.xlarge',
  source: 'run_time',
  architecture: 'x86_64',
  vcpus: 4,
  memory_gib: 16,
  accelerator: 'NVIDIA L4',
  accelerator_count: 1,
  accelerator_memory_gib: 22.5,
  efa_interfaces: 0,
  efa_only_possible: false,
  addresses_per_node: 15,
  addresses_per_node_efa_only: 15,
  max_pods: 14,
  price: null,
  availability_zones: ['us-west-2a'],
};
const C5: InstanceTypeView = {
  ...G6,
  name: 'ml.c5.large',
  accelerator: null,
  accelerator_count: 0,
  availability_zones: null,
};
const quota = (name: string, value: number | null, available: number | null): QuotaView => ({
  name,
  service: 'sagemaker',
  code: null,
  value,
  used: null,
  available,
});

test('an instance type is told by what it is made of', () => {
  expect(hardwareOf(G6)).toBe('1 × NVIDIA L4, 22.5 GiB each · 4 vCPUs · 16 GiB memory');
  expect(hardwareOf(C5)).toBe('4 vCPUs · 16 GiB memory');
});

test('types with accelerators come first, and one that the zone lacks says so', () => {
  const options = typeOptions([C5, G6], 'us-west-2d');
  expect(options).toMatchObject([
    { value: 'ml.g6.xlarge', tags: ['Not offered in us-west-2d'] },
    { value: 'ml.c5.large', tags: undefined },
  ]);
});

test('where EC2 did not say, nothing is said of a zone', () => {
  expect(isOffered(C5, 'us-west-2a')).toBeNull();
  expect(isOffered(G6, '')).toBeNull();
  expect(isOffered(G6, 'us-west-2a')).toBe(true);
});

test('quotas of the type are told with what is left, or that it is not known', () => {
  const quotas = [
    quota('ml.g6.xlarge for cluster usage', 5, 3),
    quota('ml.g6.xlarge for cluster spot instance usage', null, null),
    quota('ml.g6.xlarge.other for cluster usage', 9, 9),
    quota('ml.g5.xlarge for cluster usage', 9, 9),
  ];
  expect(quotasOf(quotas, 'ml.g6.xlarge')).toEqual([
    'Quota for cluster usage: 3 of 5 left',
    'Quota for cluster spot instance usage: not known',
  ]);
});
