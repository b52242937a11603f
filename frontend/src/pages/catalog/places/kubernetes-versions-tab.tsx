import Badge from '@cloudscape-design/components/badge';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import { useKubernetesVersions } from '../../../api/catalog';
import { listingOf } from '../../../api/listings';
import type { KubernetesVersionView } from '../../../api/schema';
import { EmptyState } from '../../../components/empty-state';
import { perHour } from '../../../components/money';
import { PagedTable } from '../../../components/paged-table';
import { Time } from '../../../components/time';
import { NotSaid, Unknowns } from '../../../components/unknowns';
import { sentence } from '../../../components/words';

/** The versions that a new cluster may have. */
export default function KubernetesVersionsTab() {
  const query = useKubernetesVersions();
  return (
    <SpaceBetween size="m">
      <Unknowns unknown={query.data?.unknown} isShipped={query.data?.source === 'shipped'} />
      <PagedTable
        title="Kubernetes versions"
        description="What HyperPod supports and Amazon EKS offers, the newest first."
        listing={listingOf(query.data?.kubernetes_versions, query)}
        columns={COLUMNS}
        trackBy={({ version }) => version}
        empty={<EmptyState title="No version is supported by both" />}
      />
    </SpaceBetween>
  );
}

const COLUMNS: TableProps.ColumnDefinition<KubernetesVersionView>[] = [
  {
    id: 'version',
    header: 'Version',
    cell: ({ version, default: isDefault }) => (
      <SpaceBetween direction="horizontal" size="xs">
        <span>{version}</span>
        {isDefault && <Badge color="blue">When none is asked for</Badge>}
      </SpaceBetween>
    ),
    isRowHeader: true,
    minWidth: 160,
  },
  {
    id: 'support',
    header: 'Support',
    cell: ({ support }) => (support ? sentence(support) : <NotSaid />),
    minWidth: 110,
  },
  {
    id: 'standard',
    header: 'Standard support ends',
    cell: ({ standard_support_ends_at: at }) => (at ? <Time at={at} /> : <NotSaid />),
    minWidth: 190,
  },
  {
    id: 'extended',
    header: 'Extended support ends',
    cell: ({ extended_support_ends_at: at }) => (at ? <Time at={at} /> : <NotSaid />),
    minWidth: 190,
  },
  {
    id: 'price',
    header: 'Control plane',
    cell: ({ control_plane_price: price }) => (price ? perHour(price) : <NotSaid />),
    minWidth: 150,
  },
];
