import Box from '@cloudscape-design/components/box';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { CidrSuggestion, NetworkSuggestion } from '../../../api/schema';
import { CopyableValue } from '../../../components/copyable-value';
import { EmptyState } from '../../../components/empty-state';

/** A free range with all that would be made of it; that none is free is not that nobody said what is in use. */
export function Suggestion({ answer }: { answer: CidrSuggestion }) {
  const { free, suggestion, prefix, ranges_in_use } = answer;
  if (free === null) {
    return (
      <EmptyState title="Unknown">AWS did not say which ranges are in use, so none can be called free.</EmptyState>
    );
  }
  return (
    <SpaceBetween size="m">
      {suggestion ? <Ranges suggestion={suggestion} /> : <EmptyState title={`No /${prefix} is free`} />}
      {ranges_in_use && (
        <ExpandableSection headerText={`Ranges in use (${ranges_in_use.length})`}>
          <Box>{ranges_in_use.join(', ') || 'None'}</Box>
        </ExpandableSection>
      )}
    </SpaceBetween>
  );
}

function Ranges({ suggestion }: { suggestion: NetworkSuggestion }) {
  return (
    <KeyValuePairs
      columns={3}
      items={[
        { label: 'VPC', value: <CopyableValue value={suggestion.vpc_cidr} /> },
        { label: 'Public subnets', value: <Many ranges={suggestion.public_subnet_cidrs} /> },
        { label: 'Control plane subnets', value: <Many ranges={suggestion.control_plane_subnet_cidrs} /> },
        { label: 'Compute subnets, as groups need them', value: <Many ranges={suggestion.compute_subnet_cidrs} /> },
        { label: 'Kubernetes services, inside the cluster only', value: suggestion.service_cidr },
      ]}
    />
  );
}

function Many({ ranges }: { ranges: readonly string[] }) {
  return ranges.map((range) => <div key={range}>{range}</div>);
}
