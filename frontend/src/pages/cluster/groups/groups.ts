import type { DesiredGroup } from '../../../api/schema';
import { sentence } from '../../../components/words';

/** The instance type of a group, or its types in order of preference. */
export function typesOf({ instance_type, instance_types }: DesiredGroup): string {
  return instance_type ?? (instance_types ?? []).join(', ');
}

/** What is particular to a group, a line each; what it leaves to the cluster has none. */
export function particularsOf(group: DesiredGroup): string[] {
  const labels = Object.entries(group.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  const taints = (group.taints ?? []).map(({ key, value, effect }) => `${key}${value ? `=${value}` : ''}:${effect}`);
  const checks = (group.deep_health_checks ?? []).map(sentence);
  const volumes = (group.volumes ?? []).map(({ root, size_gib }) => (root ? 'root encrypted' : `${size_gib} GiB`));
  const lines: [string, string | number | null | undefined][] = [
    ['At least', group.min_instance_count],
    ['Training plan', group.training_plan_arn],
    ['Subnet', group.subnet_id ?? (group.dedicated_subnet ? 'one of its own' : null)],
    ['Network interface', group.network_interface],
    ['Security groups', group.security_group_ids?.join(', ')],
    ['Threads per core', group.threads_per_core],
    ['Deep health checks', checks.join(', ')],
    ['Volumes', volumes.join(', ')],
    ['Labels', labels.join(', ')],
    ['Taints', taints.join(', ')],
    ['Lifecycle', group.lifecycle?.source_uri],
    ['Image', group.image_id],
  ];
  return lines
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map((line) => line.join(': '));
}
