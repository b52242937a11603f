import { expect, test } from 'vitest';
import { byField } from '../../api/problems';
import { hyperPodFields } from './group-fields';
import { fieldInForm, hyperPodRequest, newHyperPod } from './hyperpod-draft';

const disk = (id: number, size_gib: string) => ({ id, size_gib, kms_key_id: '' });
const [group] = newHyperPod().groups;
const DRAFT = {
  ...newHyperPod(),
  groups: [{ ...group, id: 1, name: 'a', instance_type: 't', instance_count: '1' }].map((each) => ({
    ...each,
    further_disks: [disk(4, ''), disk(7, '99999')],
    root_kms_key_id: 'nothing',
  })),
};
const errors = (at: string, ...fields: string[]) => {
  const told = fields.map((field) => ({ field: fieldInForm(at, DRAFT)(field), message: 'is wrong' }));
  return Object.keys(byField(told, hyperPodFields(at, DRAFT)).at);
};

test('what is said of a disk stands at the row that it was typed in, whatever rows above are empty', () => {
  expect(hyperPodRequest(DRAFT).instance_groups?.[0]?.volumes).toHaveLength(2);
  expect(errors('', 'instance_groups.0.volumes.0.size_gib', 'instance_groups[0].volumes[1].kms_key_id')).toEqual([
    'instance_groups.0.volumes.disk-7',
    'instance_groups.0.root_disk',
  ]);
  expect(errors('hyperpod', 'body.hyperpod.instance_groups.0.volumes.0')).toEqual([
    'hyperpod.instance_groups.0.volumes.disk-7',
  ]);
});

test('what is said of all disks, or of one that was not sent, stands above them', () => {
  expect(errors('', 'instance_groups.0.volumes', 'instance_groups.0.volumes.9')).toEqual(['instance_groups.0.volumes']);
});
