import type { TableProps } from '@cloudscape-design/components/table';
import type { DriftReport } from '../../../api/schema';
import { PagedTable } from '../../../components/paged-table';
import { WithRemedy } from '../../../components/with-remedy';
import { sentence } from '../../../components/words';
import { here } from '../here';

type Unknown = DriftReport['unknown'][number];

const COLUMNS: TableProps.ColumnDefinition<Unknown>[] = [
  {
    id: 'resource',
    header: 'Resource',
    cell: ({ resource }) => <span className="value">{resource}</span>,
    isRowHeader: true,
    minWidth: 200,
  },
  { id: 'kind', header: 'Kind', cell: ({ kind }) => sentence(kind), minWidth: 120 },
  {
    id: 'why',
    header: 'Why not',
    cell: ({ why, remedy }) => <WithRemedy remedy={remedy}>{why}</WithRemedy>,
    minWidth: 280,
  },
];

/** What a detection could not look at. */
export function UnknownParts({ unknown }: { unknown: readonly Unknown[] }) {
  return (
    <PagedTable
      title="Could not be looked at"
      listing={here(unknown)}
      columns={COLUMNS}
      trackBy={({ kind, resource }) => `${kind} ${resource}`}
      empty={null}
    />
  );
}
