import { describe, expect, it } from 'vitest';
import type { DesiredGroup } from '../../../api/schema';
import { particularsOf, typesOf } from './groups';

const PLAIN: DesiredGroup = {
  name: 'gpu',
  capacity_type: 'on_demand',
  instance_count: 2,
  instance_type: 'ml.g5.8xlarge',
  dedicated_subnet: false,
  deep_health_checks: [],
  labels: {},
  taints: [],
  volumes: [],
};

describe('an instance group', () => {
  it('has no particulars where it leaves everything to the cluster', () => {
    expect(particularsOf({ ...PLAIN, security_group_ids: null })).toEqual([]);
  });

  it('tells what was asked for beside the usual', () => {
    const taints = [{ key: 'gpu', value: null, effect: 'NoSchedule' }];
    expect(
      particularsOf({ ...PLAIN, min_instance_count: 0, dedicated_subnet: true, labels: { a: 'b' }, taints }),
    ).toEqual(['At least: 0', 'Subnet: one of its own', 'Labels: a=b', 'Taints: gpu:NoSchedule']);
  });

  it('names several types in order of preference', () => {
    expect(typesOf({ ...PLAIN, instance_type: null, instance_types: ['ml.p5.48xlarge', 'ml.p4d.24xlarge'] })).toBe(
      'ml.p5.48xlarge, ml.p4d.24xlarge',
    );
  });
});
