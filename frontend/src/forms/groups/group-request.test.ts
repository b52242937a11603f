import { expect, test } from 'vitest';
import { type GroupDraft, newGroup } from './draft';
import { groupRequest } from './group-request';

const typed = (changed: Partial<GroupDraft>) =>
  groupRequest({ ...newGroup([]), instance_type: 'ml.g6.xlarge', ...changed });
const bare = { name: 'workers', instance_type: 'ml.g6.xlarge', instance_count: 1 };

test('a group of which nothing else was touched is its name, type and count', () => {
  expect(typed({})).toEqual(bare);
});

test('what was typed and taken back is not sent', () => {
  expect(
    typed({
      image_id: '',
      threads_per_core: '',
      min_instance_count: ' ',
      labels: [{ key: '', value: '' }],
      network_interface: '',
    }),
  ).toEqual(bare);
});

test('further types make a list in order of preference', () => {
  const { instance_type, instance_types } = typed({ further_types: 'ml.g5.xlarge, ml.g4dn.xlarge' });
  expect(instance_type).toBeUndefined();
  expect(instance_types).toEqual(['ml.g6.xlarge', 'ml.g5.xlarge', 'ml.g4dn.xlarge']);
});

test('a plan that was chosen for another capacity type is left out', () => {
  const training_plan_arn = 'arn:aws:sagemaker:us-west-2:123456789012:training-plan/p';
  expect(typed({ capacity_type: 'training_plan', training_plan_arn })).toEqual({
    ...bare,
    capacity_type: 'training_plan',
    training_plan_arn,
  });
  expect(typed({ capacity_type: 'spot', training_plan_arn })).toEqual({ ...bare, capacity_type: 'spot' });
});

test('a subnet id and a prefix count for the kind of subnet they belong to', () => {
  const given = { subnet_id: 'subnet-12345678', subnet_prefix: '22' };
  expect(typed(given)).toEqual(bare);
  expect(typed({ ...given, subnet: 'given' })).toEqual({ ...bare, subnet_id: 'subnet-12345678' });
  expect(typed({ subnet: 'given' })).toEqual({ ...bare, subnet_id: '' });
  expect(typed({ ...given, subnet: 'dedicated' })).toEqual({ ...bare, dedicated_subnet: true, subnet_prefix: 22 });
});

test('disks come in the order of the form, the root disk by its key last', () => {
  const further_disks = [{ id: 1, size_gib: '300', kms_key_id: 'key-2' }];
  expect(typed({ disk_gib: '500', further_disks, root_kms_key_id: 'key-1' }).volumes).toEqual([
    { size_gib: 500 },
    { size_gib: 300, kms_key_id: 'key-2' },
    { root: true, kms_key_id: 'key-1' },
  ]);
});

test('a script runs at the time that was chosen', () => {
  const script = { script_source: 's3://sagemaker-x/scripts', script: 'own.sh' };
  expect(typed(script).lifecycle).toEqual({ source_uri: 's3://sagemaker-x/scripts', on_create: 'own.sh' });
  expect(typed({ ...script, script_time: 'on_init_complete' }).lifecycle).toEqual({
    source_uri: 's3://sagemaker-x/scripts',
    on_init_complete: 'own.sh',
  });
});

test('a taint without a value has none', () => {
  const taints = [{ key: 'dedicated', value: '', effect: 'NoSchedule' as const }];
  expect(typed({ taints }).taints).toEqual([{ key: 'dedicated', effect: 'NoSchedule' }]);
});

test('a count that is no number goes as it was typed, for the server to say so', () => {
  expect(typed({ instance_count: 'many' }).instance_count).toBe('many');
  expect(typed({ instance_count: '' })).toEqual({ name: 'workers', instance_type: 'ml.g6.xlarge' });
});

test('each further group has a name of its own', () => {
  const first = newGroup([]);
  const second = newGroup([first]);
  expect(newGroup([first, second])).toMatchObject({ id: 3, name: 'workers-3' });
  expect(newGroup([second])).toMatchObject({ id: 3, name: 'workers' });
});
