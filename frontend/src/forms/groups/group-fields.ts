import { within } from '../bound';
import type { HyperPodDraft } from './hyperpod-draft';

/** The fields of a group that are seen at once. */
export const SHOWN = [
  'name',
  'instance_type',
  'instance_count',
  'capacity_type',
  'training_plan_arn',
  'first_disk',
] as const;

/** The fields of a group that stand under "More settings", by where they stand. */
export const SETTINGS = {
  capacity: ['instance_types', 'min_instance_count', 'deep_health_checks', 'threads_per_core', 'image_id'],
  network: [
    'availability_zone',
    'dedicated_subnet',
    'subnet_id',
    'subnet_prefix',
    'network_interface',
    'security_group_ids',
  ],
  nodes: ['volumes', 'root_disk', 'lifecycle.source_uri', 'lifecycle', 'labels', 'taints'],
} as const;

/** The disks of a group, each by the field that it is typed in: the request counts those that are filled in. */
export const DISKS = { first: 'first_disk', root: 'root_disk', further: (id: number) => `volumes.disk-${id}` } as const;

const SYSTEM_GROUP = ['name', 'instance_type', 'instance_count'] as const;

/** Put the place of something before the names of its fields; the place is empty for the request itself. */
export function below(place: string, fields: readonly string[]): string[] {
  return fields.map((field) => within(place, field));
}

export function groupPlace(at: string, index: number): string {
  return within(at, `instance_groups.${index}`);
}

/** All fields of a HyperPod cluster that the form shows, by the API's names. */
export function hyperPodFields(at: string, { groups, system_group }: HyperPodDraft): string[] {
  const ofGroup = [...SHOWN, ...SETTINGS.capacity, ...SETTINGS.network, ...SETTINGS.nodes];
  return [
    ...below(at, ['availability_zone', 'on_shortage', 'node_recovery', 'subnet_prefix', 'system_group']),
    ...(system_group ? below(at, below('system_group', SYSTEM_GROUP)) : []),
    ...groups.flatMap(({ further_disks = [] }, index) =>
      below(groupPlace(at, index), [...ofGroup, ...further_disks.map(({ id }) => DISKS.further(id))]),
    ),
    ...below(at, ['instance_groups']),
  ];
}
