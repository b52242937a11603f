import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs, { type KeyValuePairsProps } from '@cloudscape-design/components/key-value-pairs';
import type { ClusterView } from '../../../api/schema';
import { Time } from '../../../components/time';
import { sentence } from '../../../components/words';
import type { ClusterProps } from '../tab-list';
import { rangesOf, reusedParts } from './facts';

/** What was asked for, and what was taken over instead of made. */
export function Desired({ cluster }: ClusterProps) {
  const { spec } = cluster;
  // What others made is told as it was found, below.
  const made = spec.origin === 'imported' ? [] : madeOf(cluster);
  const facts: KeyValuePairsProps.Pair[] = [
    ...made,
    { label: 'Availability zone of the nodes', value: spec.availability_zone ?? '-' },
    { label: 'Size of compute subnets', value: spec.subnet_prefix ? `/${spec.subnet_prefix}` : '-' },
    { label: 'Node recovery', value: spec.node_recovery ? sentence(spec.node_recovery) : '-' },
    { label: 'On a lack of capacity', value: sentence(spec.on_shortage ?? '-') },
    { label: 'Created', value: <Time at={spec.created_at} /> },
    { label: 'Version of what is wanted', value: String(spec.version ?? 1) },
  ];
  const ranges = rangesOf(cluster).map(({ label, value }) => ({
    label,
    value: <span className="value">{value}</span>,
  }));
  const reused = reusedParts(cluster).map(({ label, values }) => ({
    label: `${label}, taken over`,
    value: <span className="value">{values.join(', ')}</span>,
  }));
  return (
    <Container
      header={
        <Header description="What was asked for. Taken over parts are never deleted with it.">Desired state</Header>
      }
    >
      <KeyValuePairs columns={3} items={[...facts, ...ranges, ...reused]} />
    </Container>
  );
}

function madeOf({ spec }: ClusterView): KeyValuePairsProps.Pair[] {
  return [
    { label: 'Kubernetes version', value: spec.kubernetes_version ?? 'The newest when it was made' },
    { label: 'Control plane zones', value: joined(spec.control_plane_availability_zones) || 'Chosen when it was made' },
    {
      label: 'Public endpoint open to',
      value: <span className="value">{joined(spec.public_access_cidrs) || 'Everywhere'}</span>,
    },
  ];
}

function joined(values: readonly string[] | null | undefined): string {
  return (values ?? []).join(', ');
}
