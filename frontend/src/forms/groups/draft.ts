import type { InstanceGroup, Taint } from '../../api/schema';
import type { Pair } from '../sending';

export type CapacityType = NonNullable<InstanceGroup['capacity_type']>;
export type DeepHealthCheck = InstanceGroup['deep_health_checks'][number];
export type SubnetChoice = 'zone' | 'dedicated' | 'given';
export type ScriptTime = 'on_create' | 'on_init_complete';

export interface TaintDraft {
  key: string;
  value: string;
  effect: Taint['effect'];
}

export interface DiskDraft {
  /** Of the form alone: which of the group's further disks it is. */
  id: number;
  size_gib: string;
  kms_key_id: string;
}

/** An instance group as it is typed; what is undefined was not touched. */
export interface GroupDraft {
  /** Of the form alone: which of its groups it is. */
  id: number;
  name: string;
  instance_type: string;
  further_types?: string;
  instance_count: string;
  min_instance_count?: string;
  capacity_type?: CapacityType;
  training_plan_arn?: string;
  availability_zone?: string;
  subnet?: SubnetChoice;
  subnet_id?: string;
  subnet_prefix?: string;
  network_interface?: NonNullable<InstanceGroup['network_interface']> | '';
  security_group_ids?: string;
  /** Empty for all that the type has. */
  threads_per_core?: '1' | '2' | '';
  deep_health_checks?: readonly DeepHealthCheck[];
  labels?: readonly Pair[];
  taints?: readonly TaintDraft[];
  disk_gib?: string;
  further_disks?: readonly DiskDraft[];
  root_kms_key_id?: string;
  script_source?: string;
  script?: string;
  script_time?: ScriptTime;
  image_id?: string;
}

/** A group to begin with, of a name that no other has. */
export function newGroup(others: readonly GroupDraft[]): GroupDraft {
  const names = new Set(others.map(({ name }) => name));
  let name = 'workers';
  for (let count = 2; names.has(name); count += 1) {
    name = `workers-${count}`;
  }
  return { id: Math.max(0, ...others.map(({ id }) => id)) + 1, name, instance_type: '', instance_count: '1' };
}

/** The instance types of a group, in order of preference. */
export function typesOf({ instance_type, further_types }: GroupDraft): string[] {
  return [instance_type, ...(further_types ?? '').split(/[\s,]+/)].map((each) => each.trim()).filter(Boolean);
}
