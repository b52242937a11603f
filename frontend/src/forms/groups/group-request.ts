import type { InstanceGroup, Lifecycle, Taint, Volume } from '../../api/schema';
import type { Touched } from '../../api/wishes';
import { listed, named, number, sent, touched } from '../sending';
import { type GroupDraft, typesOf } from './draft';
import { DISKS } from './group-fields';

/** An instance group as it is sent: what was not touched is left out. */
export function groupRequest(group: GroupDraft): Touched<InstanceGroup> {
  const isPlan = group.capacity_type === 'training_plan';
  return (
    touched<Touched<InstanceGroup>>({
      name: sent(group.name),
      ...typesRequest(group),
      instance_count: number(group.instance_count),
      min_instance_count: number(group.min_instance_count),
      capacity_type: group.capacity_type,
      training_plan_arn: isPlan ? sent(group.training_plan_arn) : undefined,
      ...networkRequest(group),
      security_group_ids: listed(group.security_group_ids),
      threads_per_core: number(group.threads_per_core) as 1 | 2 | undefined,
      deep_health_checks: group.deep_health_checks?.length ? group.deep_health_checks : undefined,
      labels: named(group.labels),
      taints: taintsRequest(group),
      volumes: volumesRequest(group),
      lifecycle: lifecycleRequest(group),
      image_id: sent(group.image_id),
    }) ?? {}
  );
}

function typesRequest(group: GroupDraft): Touched<InstanceGroup> {
  const types = typesOf(group);
  return types.length > 1 ? { instance_types: types } : { instance_type: types[0] };
}

function networkRequest(group: GroupDraft): Touched<InstanceGroup> {
  return {
    availability_zone: sent(group.availability_zone),
    // Whoever chose a subnet that exists and named none is told so, and does not get another one.
    subnet_id: group.subnet === 'given' ? (sent(group.subnet_id) ?? '') : undefined,
    dedicated_subnet: group.subnet === 'dedicated' ? true : undefined,
    subnet_prefix: group.subnet === 'dedicated' ? number(group.subnet_prefix) : undefined,
    network_interface: group.network_interface || undefined,
  };
}

function taintsRequest({ taints = [] }: GroupDraft): Touched<Taint>[] | undefined {
  const rows = taints.filter(({ key, value }) => key.trim() || value.trim());
  return rows.length > 0
    ? rows.map(
        ({ key, value, effect }) => touched<Touched<Taint>>({ key: key.trim(), value: sent(value), effect }) ?? {},
      )
    : undefined;
}

function volumesRequest(group: GroupDraft): Touched<Volume>[] | undefined {
  const kept = filledDisks(group).map(({ volume }) => volume);
  return kept.length > 0 ? kept : undefined;
}

/** The fields of the disks that are sent, in the order of the request, which leaves out those that stayed empty. */
export function diskFields(group: GroupDraft): string[] {
  return filledDisks(group).map(({ field }) => field);
}

function filledDisks({ disk_gib, further_disks = [], root_kms_key_id }: GroupDraft) {
  const root = sent(root_kms_key_id);
  const rows: { field: string; volume: Touched<Volume> | undefined }[] = [
    { field: DISKS.first, volume: touched<Touched<Volume>>({ size_gib: number(disk_gib) }) },
    ...further_disks.map(({ id, size_gib, kms_key_id }) => ({
      field: DISKS.further(id),
      volume: touched<Touched<Volume>>({ size_gib: number(size_gib), kms_key_id: sent(kms_key_id) }),
    })),
    { field: DISKS.root, volume: root ? { root: true, kms_key_id: root } : undefined },
  ];
  return rows.flatMap(({ field, volume }) => (volume === undefined ? [] : [{ field, volume }]));
}

function lifecycleRequest({ script_source, script, script_time }: GroupDraft): Touched<Lifecycle> | undefined {
  return touched<Touched<Lifecycle>>({
    source_uri: sent(script_source),
    [script_time ?? 'on_create']: sent(script),
  });
}
