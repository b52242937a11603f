import { expect, test } from 'vitest';
import { fieldOf } from '../../api/problems';
import { newGroup } from '../../forms/groups/draft';
import { placeName } from '../../forms/place-name';
import { type ClusterDraft, newCluster } from './draft';
import { clusterFields, clusterRequest } from './request';

const draft = (): ClusterDraft => {
  const begun = newCluster();
  const [group] = begun.hyperpod.groups.map((each) => ({ ...each, instance_type: 'ml.g6.xlarge' }));
  return { ...begun, hyperpod: { availability_zone: 'us-west-2c', groups: group ? [group] : [] } };
};

test('zone, instance type and count suffice, and nothing else is sent', () => {
  expect(clusterRequest(draft())).toEqual({
    hyperpod: {
      availability_zone: 'us-west-2c',
      instance_groups: [{ name: 'workers', instance_type: 'ml.g6.xlarge', instance_count: 1 }],
    },
  });
});

test('a foundation alone has neither instances nor a mount, though they were typed', () => {
  expect(clusterRequest({ ...draft(), tag: ' lab ', foundationOnly: true })).toEqual({ tag: 'lab' });
});

test('a mount that was turned off is null, one that was named has its name', () => {
  expect(clusterRequest({ ...draft(), storage: { mounted: false, name: 'x' } }).storage).toBeNull();
  expect(clusterRequest({ ...draft(), storage: { mounted: true, name: 'x' } }).storage).toEqual({ name: 'x' });
});

test('lists are parted by commas or lines, and rows by their keys', () => {
  const request = clusterRequest({
    ...draft(),
    foundation: {
      public_access_cidrs: '203.0.113.0/24\n198.51.100.7/32',
      control_plane_availability_zones: 'a, b',
      vpc_cidr: '',
    },
    owner_groups: 'research,  ops',
    company_tags: [{ key: 'team', value: 'vision' }],
  });
  expect(request.foundation).toEqual({
    public_access_cidrs: ['203.0.113.0/24', '198.51.100.7/32'],
    control_plane_availability_zones: ['a', 'b'],
  });
  expect(request).toMatchObject({ owner_groups: ['research', 'ops'], company_tags: { team: 'vision' } });
});

test('a system group of which nothing was typed is asked for all the same', () => {
  const asked = draft();
  expect(
    clusterRequest({ ...asked, hyperpod: { ...asked.hyperpod, system_group: {} } }).hyperpod?.system_group,
  ).toEqual({});
});

test('what is found out leads to the field at which it can be mended', () => {
  const asked = draft();
  const groups = [...asked.hyperpod.groups, newGroup(asked.hyperpod.groups)];
  const fields = clusterFields({ ...asked, hyperpod: { ...asked.hyperpod, groups } });
  const led = (told: string) => fieldOf(told, fields);
  expect(led('hyperpod.instance_groups[1].instance_type')).toBe('hyperpod.instance_groups.1.instance_type');
  expect(led('hyperpod.instance_groups[0].volumes[1].size_gib')).toBe('hyperpod.instance_groups.0.volumes');
  expect(led('hyperpod.instance_groups[0].lifecycle.on_init_complete')).toBe('hyperpod.instance_groups.0.lifecycle');
  expect(led('hyperpod.system_group.instance_type')).toBe('hyperpod.system_group');
  expect(led('hyperpod.instance_groups')).toBe('hyperpod.instance_groups');
  expect(led('foundation.public_access_cidrs[0]')).toBe('foundation.public_access_cidrs');
  expect(led('confirm')).toBeUndefined();
});

test('a field is named by the group that it is of', () => {
  const groups = [{ name: 'workers' }, { name: '' }];
  expect(placeName('hyperpod.instance_groups.0.instance_type', groups)).toBe('Instance group workers, instance type');
  expect(placeName('instance_groups.1.lifecycle.source_uri', groups)).toBe('Instance group 2, lifecycle, source uri');
  expect(placeName('foundation.vpc_cidr', groups)).toBe('Foundation, vpc cidr');
});
