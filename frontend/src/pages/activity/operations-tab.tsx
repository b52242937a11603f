import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import { useSearchParams } from 'react-router';
import { useClusters } from '../../api/clusters';
import { SOON } from '../../api/listings';
import type { OperationFilters } from '../../api/operation-lists';
import { useOperations } from '../../api/operations';
import type { Operation } from '../../api/schema';
import { Duration } from '../../components/duration';
import { PageLink } from '../../components/page-link';
import { PagedTable } from '../../components/paged-table';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';
import { kindOf } from '../../components/words';
import { useLive } from '../../live/live-context';
import { FilterBar } from './filter-bar';
import { filtersIn, type Property } from './filters';
import { NothingFound } from './nothing-found';
import { Door } from './who';
import { statusOptions } from './words';

/** What was begun: by whom, through which door, and what came of it. */
export function OperationsTab() {
  const properties = useProperties();
  const [search] = useSearchParams();
  const filters = filtersIn(search, ['cluster_tag', 'kind', 'status'] as const) as OperationFilters;
  const operations = useOperations(filters, SOON);
  useLive({ all: true });
  return (
    <SpaceBetween size="m">
      <FilterBar properties={properties} what="operations" />
      <PagedTable
        key={search.toString()}
        title="Operations"
        listing={operations}
        columns={COLUMNS}
        trackBy={({ operation_id }) => operation_id}
        empty={<NothingFound what="operation" isFiltered={Object.keys(filters).length > 0} />}
      />
    </SpaceBetween>
  );
}

function useProperties(): Property[] {
  const clusters = useClusters();
  const known = useOperations();
  const kinds = [...new Set(known.items.map(({ kind }) => kind))].sort();
  return [
    {
      key: 'cluster_tag',
      label: 'Cluster',
      plural: 'Clusters',
      options: clusters.items.map(({ tag: value }) => ({ value })),
    },
    { key: 'kind', label: 'Kind', plural: 'Kinds', options: kinds.map((value) => ({ value, label: kindOf(value) })) },
    { key: 'status', label: 'Status', plural: 'Statuses', options: statusOptions },
  ];
}

const COLUMNS: TableProps.ColumnDefinition<Operation>[] = [
  {
    id: 'operation',
    header: 'Operation',
    cell: ({ operation_id, kind }) => <PageLink to={`/operations/${operation_id}`}>{kindOf(kind)}</PageLink>,
    isRowHeader: true,
    minWidth: 140,
  },
  {
    id: 'cluster',
    header: 'Cluster',
    cell: ({ cluster_tag }) => <PageLink to={`/clusters/${encodeURIComponent(cluster_tag)}`}>{cluster_tag}</PageLink>,
    minWidth: 110,
  },
  {
    id: 'status',
    header: 'Status',
    cell: ({ status, reason }) => <StatusBadge status={status} reason={reason} />,
    minWidth: 130,
  },
  { id: 'who', header: 'Who', cell: ({ actor }) => <span className="value">{actor.id}</span>, minWidth: 90 },
  { id: 'door', header: 'Through', cell: ({ actor }) => <Door actor={actor} />, minWidth: 110 },
  { id: 'at', header: 'Asked for', cell: ({ created_at }) => <Time at={created_at} />, minWidth: 150 },
  {
    id: 'took',
    header: 'Took',
    cell: ({ started_at, finished_at }) => <Duration from={started_at} to={finished_at} />,
    minWidth: 100,
  },
];
