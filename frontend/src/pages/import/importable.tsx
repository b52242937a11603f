import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import { useImportableClusters } from '../../api/catalog';
import type { ImportableCluster } from '../../api/schema';
import { EmptyState } from '../../components/empty-state';
import { PagedTable } from '../../components/paged-table';
import { Unknowns } from '../../components/unknowns';
import { sentence } from '../../components/words';

interface Props {
  onChoose: (name: string) => void;
}

/** The EKS clusters that could be imported, with what decides whether they can. */
export function Importable({ onChoose }: Props) {
  const listing = useImportableClusters();
  return (
    <SpaceBetween size="m">
      <Unknowns unknown={listing.unknown} />
      <PagedTable
        title="EKS clusters of this region"
        description="Those that are no clusters here yet."
        listing={listing}
        columns={[...COLUMNS, { id: 'choose', header: 'Choose', cell: (cluster) => chooseOf(cluster, onChoose) }]}
        trackBy={({ name }) => name}
        variant="embedded"
        empty={listing.unknown.length > 0 ? <EmptyState title="Nothing is known" /> : <NoCluster />}
      />
    </SpaceBetween>
  );
}

function NoCluster() {
  return (
    <EmptyState title="No EKS cluster to import">
      All that AWS lists here are known already, or there are none. If you know the name of one, type it below.
    </EmptyState>
  );
}

function chooseOf({ name }: ImportableCluster, onChoose: Props['onChoose']) {
  return (
    <Button formAction="none" ariaLabel={`Choose ${name}`} onClick={() => onChoose(name)}>
      Choose
    </Button>
  );
}

const COLUMNS: TableProps.ColumnDefinition<ImportableCluster>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name }) => <span className="value">{name}</span>,
    isRowHeader: true,
    minWidth: 160,
  },
  { id: 'version', header: 'Kubernetes', cell: ({ kubernetes_version }) => kubernetes_version ?? '-', minWidth: 110 },
  { id: 'status', header: 'Status', cell: ({ status }) => (status ? sentence(status) : '-'), minWidth: 100 },
  {
    id: 'mode',
    header: 'Authentication mode',
    cell: ({ authentication_mode }) => <span className="value">{authentication_mode ?? '-'}</span>,
    minWidth: 180,
  },
  { id: 'endpoint', header: 'Public endpoint', cell: ({ public_endpoint }) => yesOrNo(public_endpoint), minWidth: 130 },
  {
    id: 'hyperpod',
    header: 'HyperPod cluster',
    cell: ({ hyperpod_cluster, has_hyperpod_cluster }) => (
      <span className="value">{hyperpod_cluster ?? yesOrNo(has_hyperpod_cluster)}</span>
    ),
    minWidth: 150,
  },
];

function yesOrNo(value: boolean | null | undefined): string {
  return value === null || value === undefined ? 'Not known' : value ? 'Yes' : 'No';
}
