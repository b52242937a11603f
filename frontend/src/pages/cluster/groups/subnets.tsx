import type { TableProps } from '@cloudscape-design/components/table';
import { useSubnets } from '../../../api/cluster-parts';
import type { ComputeSubnet } from '../../../api/schema';
import { CopyableValue } from '../../../components/copyable-value';
import { EmptyState } from '../../../components/empty-state';
import { PagedTable } from '../../../components/paged-table';
import { sentence } from '../../../components/words';
import type { ClusterProps } from '../tab-list';

const COLUMNS: TableProps.ColumnDefinition<ComputeSubnet>[] = [
  {
    id: 'id',
    header: 'Subnet',
    cell: ({ subnet_id }) => <CopyableValue value={subnet_id} />,
    isRowHeader: true,
    minWidth: 250,
  },
  {
    id: 'zone',
    header: 'Zone',
    cell: (subnet) => `${subnet.availability_zone} (${subnet.availability_zone_id})`,
    minWidth: 170,
  },
  { id: 'cidr', header: 'Addresses', cell: ({ cidr }) => cidr, minWidth: 140 },
  { id: 'free', header: 'Free', cell: ({ free_addresses }) => free_addresses.toLocaleString(), minWidth: 90 },
  { id: 'kind', header: 'Kind', cell: (subnet) => kindOf(subnet), minWidth: 150 },
  {
    id: 'groups',
    header: 'Groups',
    cell: ({ instance_groups }) => <span className="value">{instance_groups.join(', ') || '-'}</span>,
    minWidth: 120,
  },
];

/** The subnets in which nodes stand or may stand, with the addresses that are left. */
export function Subnets({ cluster: { tag } }: ClusterProps) {
  return (
    <PagedTable
      title="Compute subnets"
      description="Where nodes stand or may stand."
      listing={useSubnets(tag)}
      columns={COLUMNS}
      trackBy={({ subnet_id }) => subnet_id}
      empty={<EmptyState title="No compute subnets">They are made with the first instance group of a zone.</EmptyState>}
    />
  );
}

function kindOf({ kind, dedicated_to }: ComputeSubnet): string {
  return dedicated_to ? `${sentence(kind)} to ${dedicated_to}` : sentence(kind);
}
