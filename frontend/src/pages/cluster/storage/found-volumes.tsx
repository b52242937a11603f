import Box from '@cloudscape-design/components/box';
import type { TableProps } from '@cloudscape-design/components/table';
import type { FoundVolume } from '../../../api/schema';
import { PagedTable } from '../../../components/paged-table';
import { here } from '../here';

const COLUMNS: TableProps.ColumnDefinition<FoundVolume>[] = [
  {
    id: 'name',
    header: 'Volume',
    cell: ({ name }) => <span className="value">{name}</span>,
    isRowHeader: true,
    minWidth: 160,
  },
  { id: 'claim', header: 'Claim', cell: ({ claim }) => <span className="value">{claim ?? '-'}</span>, minWidth: 160 },
  { id: 'driver', header: 'Driver', cell: ({ driver }) => <span className="value">{driver}</span>, minWidth: 150 },
  {
    id: 'handle',
    header: 'What it mounts',
    cell: ({ handle }) => <span className="value">{handle}</span>,
    minWidth: 180,
  },
  { id: 'phase', header: 'Phase', cell: ({ phase }) => phase, minWidth: 100 },
];

/** The persistent volumes that an imported cluster had. */
export function FoundVolumes({ volumes }: { volumes: readonly FoundVolume[] }) {
  return (
    <PagedTable
      title="Volumes that were found"
      listing={here(volumes)}
      columns={COLUMNS}
      trackBy={({ name }) => name}
      empty={<Box textAlign="center">No volumes on S3 or FSx for Lustre were found.</Box>}
    />
  );
}
