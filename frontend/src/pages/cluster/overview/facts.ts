import type { ClusterView } from '../../../api/schema';
import { isOnPurpose } from '../../../components/conditions';

/** Whether a cluster has a HyperPod cluster, or may have one: its names stand before it does. */
export function hasHyperPod({ conditions, detected }: Pick<ClusterView, 'conditions' | 'detected'>): boolean {
  const ready = conditions.find(({ type }) => type === 'HyperPodReady');
  return Boolean(detected?.hyperpod) || (ready !== undefined && !isOnPurpose(ready));
}

/** What a cluster took over instead of making it, by what it is. */
export function reusedParts({ spec }: Pick<ClusterView, 'spec'>): { label: string; values: readonly string[] }[] {
  const { reused } = spec;
  if (!reused) {
    return [];
  }
  const parts = [
    { label: 'VPC', values: listed(reused.vpc_id) },
    { label: 'Control plane subnets', values: reused.control_plane_subnet_ids ?? [] },
    { label: 'Public subnets', values: reused.public_subnet_ids ?? [] },
    { label: 'Security group', values: listed(reused.security_group_id) },
    { label: 'Control plane role', values: listed(reused.control_plane_role_arn) },
    { label: 'Execution role', values: listed(reused.execution_role_arn) },
    { label: 'Bucket role', values: listed(reused.s3_csi_role_arn) },
    { label: 'Bucket', values: listed(reused.bucket) },
  ];
  return parts.filter(({ values }) => values.length > 0);
}

/** The address ranges that were asked for; those that were chosen here are not among them. */
export function rangesOf({ spec }: Pick<ClusterView, 'spec'>): { label: string; value: string }[] {
  const { ranges } = spec;
  const wanted = [
    { label: 'Range of the VPC', value: ranges?.vpc_cidr ?? '' },
    { label: 'Ranges of the control plane', value: (ranges?.control_plane_subnet_cidrs ?? []).join(', ') },
    { label: 'Ranges of public subnets', value: (ranges?.public_subnet_cidrs ?? []).join(', ') },
    { label: 'Range of compute subnets', value: ranges?.compute_cidr ?? '' },
  ];
  return wanted.filter(({ value }) => value !== '');
}

function listed(value: string | null | undefined): string[] {
  return value ? [value] : [];
}
