import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ClusterProps } from '../tab-list';
import { DesiredGroups } from './desired-groups';
import { FoundGroups } from './found-groups';
import { Subnets } from './subnets';

/** The instance groups of a cluster, as they were asked for and as they were found, and where they stand. */
export default function GroupsTab({ cluster }: ClusterProps) {
  const found = cluster.detected?.hyperpod;
  return (
    <SpaceBetween size="l">
      <DesiredGroups cluster={cluster} />
      {found && <FoundGroups hyperpod={found} at={cluster.detected?.detected_at} />}
      <Subnets cluster={cluster} />
    </SpaceBetween>
  );
}
