import type { TableProps } from '@cloudscape-design/components/table';
import { useState } from 'react';
import type { OperationFilters } from '../../../api/operation-lists';
import { useOperations } from '../../../api/operations';
import type { Operation } from '../../../api/schema';
import { Duration } from '../../../components/duration';
import { EmptyState } from '../../../components/empty-state';
import { PageLink } from '../../../components/page-link';
import { PagedTable } from '../../../components/paged-table';
import { StatusBadge } from '../../../components/status-badge';
import { Time } from '../../../components/time';
import { kindOf } from '../../../components/words';
import type { ClusterProps } from '../tab-list';
import { OperationsFilter } from './operations-filter';

const COLUMNS: TableProps.ColumnDefinition<Operation>[] = [
  {
    id: 'kind',
    header: 'Operation',
    cell: ({ operation_id, kind }) => <PageLink to={`/operations/${operation_id}`}>{kindOf(kind)}</PageLink>,
    isRowHeader: true,
    minWidth: 180,
  },
  {
    id: 'status',
    header: 'Status',
    cell: ({ status, reason }) => <StatusBadge status={status} reason={reason} />,
    minWidth: 140,
  },
  {
    id: 'who',
    header: 'Asked for by',
    cell: ({ actor }) => <span className="value">{`${actor.id}, by ${actor.channel}`}</span>,
    minWidth: 150,
  },
  { id: 'created', header: 'Asked for', cell: ({ created_at }) => <Time at={created_at} />, minWidth: 190 },
  {
    id: 'took',
    header: 'Took',
    cell: ({ started_at, finished_at }) => <Duration from={started_at} to={finished_at} />,
    minWidth: 110,
  },
  {
    id: 'error',
    header: 'Cause',
    cell: ({ error }) => <span className="value">{error?.detail ?? '-'}</span>,
    minWidth: 220,
  },
];

/** What was done to a cluster, and what is being done. */
export default function OperationsTab({ cluster: { tag } }: ClusterProps) {
  const [filters, setFilters] = useState<OperationFilters>({});
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <PagedTable
      title="Operations"
      listing={useOperations({ cluster_tag: tag, ...filters })}
      columns={COLUMNS}
      trackBy={({ operation_id }) => operation_id}
      filter={<OperationsFilter tag={tag} filters={filters} onChange={setFilters} />}
      empty={
        isFiltered ? (
          <EmptyState title="No such operations">None of this cluster is of that kind and status.</EmptyState>
        ) : (
          <EmptyState title="No operations">The ledger keeps an operation for 180 days after its end.</EmptyState>
        )
      }
    />
  );
}
