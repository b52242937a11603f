import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useDiagnosis } from '../../../api/cluster-parts';
import { EmptyState } from '../../../components/empty-state';
import { CreateHyperPodButton } from '../create-hyperpod-button';
import { ChecksTable } from '../diagnosis/checks-table';
import { isOfInstance } from '../events/events';
import { EventsTable } from '../events/events-table';
import { FoundGroups } from '../groups/found-groups';
import { hasHyperPod } from '../overview/facts';
import type { ClusterProps } from '../tab-list';

const AREAS = ['nodes', 'hyperpod', 'capacity'];

/** The nodes of a cluster, as far as HyperPod tells of them. */
export default function NodesTab({ cluster }: ClusterProps) {
  if (!hasHyperPod(cluster)) {
    return (
      <EmptyState title="No nodes" action={<CreateHyperPodButton tag={cluster.tag} />}>
        Nodes are instances of a HyperPod cluster, and this cluster has none.
      </EmptyState>
    );
  }
  return <Nodes cluster={cluster} />;
}

function Nodes({ cluster }: ClusterProps) {
  const diagnosis = useDiagnosis(cluster.tag, AREAS);
  const found = cluster.detected?.hyperpod;
  return (
    <SpaceBetween size="l">
      <ChecksTable
        title="How the nodes stand"
        description="What HyperPod and the node checks say now."
        diagnosis={diagnosis}
        actions={
          <Button
            iconName="refresh"
            ariaLabel="Look again"
            loading={diagnosis.isFetching}
            onClick={() => void diagnosis.refetch()}
          />
        }
      />
      {found && <FoundGroups hyperpod={found} at={cluster.detected?.detected_at} />}
      <EventsTable tag={cluster.tag} title="Events of nodes" only={isOfInstance} />
    </SpaceBetween>
  );
}
