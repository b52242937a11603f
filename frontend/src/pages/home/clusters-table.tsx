import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import { useNavigate } from 'react-router';
import type { Listing } from '../../api/listings';
import type { ClusterSummary } from '../../api/schema';
import { ConditionBadge } from '../../components/condition-badge';
import { EmptyState } from '../../components/empty-state';
import { PageLink } from '../../components/page-link';
import { PagedTable } from '../../components/paged-table';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';
import { sentence } from '../../components/words';

const COLUMNS: TableProps.ColumnDefinition<ClusterSummary>[] = [
  {
    id: 'tag',
    header: 'Cluster',
    cell: ({ tag }) => <PageLink to={`/clusters/${encodeURIComponent(tag)}`}>{tag}</PageLink>,
    isRowHeader: true,
    minWidth: 160,
  },
  { id: 'status', header: 'Status', cell: ({ summary }) => <StatusBadge status={summary.status} />, minWidth: 150 },
  {
    id: 'conditions',
    header: 'Conditions',
    cell: (cluster) => <Conditions cluster={cluster} />,
    minWidth: 260,
  },
  { id: 'zone', header: 'Zone', cell: ({ availability_zone }) => availability_zone ?? '-', minWidth: 130 },
  { id: 'origin', header: 'Origin', cell: ({ origin }) => sentence(origin), minWidth: 100 },
  { id: 'created', header: 'Since', cell: ({ created_at }) => <Time at={created_at} as="relative" />, minWidth: 110 },
];

/** The clusters with their status and what of them does not hold. */
export function ClustersTable({ clusters }: { clusters: Listing<ClusterSummary> }) {
  return (
    <PagedTable
      title="Clusters"
      listing={clusters}
      columns={COLUMNS}
      trackBy={({ tag }) => tag}
      empty={<NoClusters />}
    />
  );
}

function Conditions({ cluster: { summary, conditions } }: { cluster: ClusterSummary }) {
  const broken = (conditions ?? []).filter(({ status }) => status !== 'True');
  if (broken.length === 0) {
    return <span className="value">{summary.message}</span>;
  }
  return (
    <SpaceBetween size="xxs">
      {broken.map((condition) => (
        <ConditionBadge key={condition.type} condition={condition} />
      ))}
    </SpaceBetween>
  );
}

function NoClusters() {
  const navigate = useNavigate();
  return (
    <EmptyState
      title="No clusters yet"
      action={
        <>
          <Button variant="primary" onClick={() => void navigate('/create')}>
            Create your first cluster
          </Button>{' '}
          <Button onClick={() => void navigate('/import')}>Import an existing one</Button>
        </>
      }
    >
      A cluster is an Amazon EKS control plane with SageMaker HyperPod capacity. You see what it changes and costs
      before anything is made.
    </EmptyState>
  );
}
