import type { HyperPod, SystemGroup } from '../../api/schema';
import type { Touched } from '../../api/wishes';
import { number, sent, touched } from '../sending';
import { type GroupDraft, newGroup } from './draft';
import { groupPlace } from './group-fields';
import { diskFields, groupRequest } from './group-request';

export interface SystemGroupDraft {
  name?: string;
  instance_type?: string;
  instance_count?: string;
}

/** A HyperPod cluster as it is typed; what is undefined was not touched. */
export interface HyperPodDraft {
  availability_zone: string;
  groups: readonly GroupDraft[];
  /** Undefined where there is to be none. */
  system_group?: SystemGroupDraft;
  on_shortage?: HyperPod['on_shortage'];
  node_recovery?: HyperPod['node_recovery'];
  subnet_prefix?: string;
}

export function newHyperPod(): HyperPodDraft {
  return { availability_zone: '', groups: [newGroup([])] };
}

/** Tells, of a request as it was sent, where a field of it stands in the form: disks that were left empty are not counted. */
export function fieldInForm(at: string, { groups }: HyperPodDraft): (told: string) => string {
  const disks = groups.map(diskFields);
  return (told) => {
    const [group, disk, rest = ''] = toldOfDisk(told, at) ?? [];
    const field = disks[Number(group)]?.[Number(disk)];
    return field ? `${groupPlace(at, Number(group))}.${field}${rest}` : told;
  };
}

/** The group, the disk and what follows, of what is told of a disk; undefined of anything else. */
function toldOfDisk(told: string, at: string): string[] | undefined {
  const named = told.replace(/\[(\d+)\]/g, '.$1').replace(/^body\./, '');
  const groups = groupPlace(at, 0).slice(0, -1);
  return named.startsWith(groups)
    ? /^(\d+)\.volumes\.(\d+)(.*)$/.exec(named.slice(groups.length))?.slice(1)
    : undefined;
}

/** A HyperPod cluster as it is sent. */
export function hyperPodRequest(draft: HyperPodDraft): Touched<HyperPod> {
  return (
    touched<Touched<HyperPod>>({
      availability_zone: sent(draft.availability_zone),
      instance_groups: draft.groups.map(groupRequest),
      system_group: draft.system_group && systemGroupRequest(draft.system_group),
      on_shortage: draft.on_shortage,
      node_recovery: draft.node_recovery,
      subnet_prefix: number(draft.subnet_prefix),
    }) ?? {}
  );
}

function systemGroupRequest(draft: SystemGroupDraft): Touched<SystemGroup> {
  return (
    touched<Touched<SystemGroup>>({
      name: sent(draft.name),
      instance_type: sent(draft.instance_type),
      instance_count: number(draft.instance_count),
    }) ?? {}
  );
}
