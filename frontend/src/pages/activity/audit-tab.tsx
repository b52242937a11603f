import Grid from '@cloudscape-design/components/grid';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import { useSearchParams } from 'react-router';
import { type AuditFilters, useAudit } from '../../api/audit';
import { useClusters } from '../../api/clusters';
import type { AuditEntry } from '../../api/schema';
import { PageLink } from '../../components/page-link';
import { PagedTable } from '../../components/paged-table';
import { Time } from '../../components/time';
import { kindOf, sentence } from '../../components/words';
import { useLive } from '../../live/live-context';
import { FilterBar } from './filter-bar';
import { filtersIn, type Property } from './filters';
import { NothingFound } from './nothing-found';
import { TimeRange } from './time-range';
import { Door } from './who';
import { channelOptions } from './words';

/** Everything that anybody did to an operation, also to one that has long been forgotten. */
export function AuditTab() {
  useLive({ all: true });
  const [search] = useSearchParams();
  const filters = filtersIn(search, ['cluster_tag', 'actor', 'channel', 'from', 'to'] as const) as AuditFilters;
  const audit = useAudit(filters);
  const properties = useProperties(audit.items);
  return (
    <SpaceBetween size="m">
      <Grid gridDefinition={[{ colspan: { default: 12, s: 8 } }, { colspan: { default: 12, s: 4 } }]}>
        <FilterBar properties={properties} what="the audit" />
        <TimeRange />
      </Grid>
      <PagedTable
        key={search.toString()}
        title="Audit"
        description="Every request that began or ended something. Administrators alone may read it."
        listing={audit}
        columns={COLUMNS}
        trackBy={({ operation_id, entry_id }) => `${operation_id} ${entry_id}`}
        empty={<NothingFound what="entry" isFiltered={Object.keys(filters).length > 0} />}
      />
    </SpaceBetween>
  );
}

function useProperties(entries: readonly AuditEntry[]): Property[] {
  const clusters = useClusters();
  const actors = [...new Set(entries.map(({ actor }) => actor.id))].sort();
  return [
    {
      key: 'cluster_tag',
      label: 'Cluster',
      plural: 'Clusters',
      options: clusters.items.map(({ tag: value }) => ({ value })),
    },
    { key: 'actor', label: 'Who', plural: 'People', options: actors.map((value) => ({ value })) },
    { key: 'channel', label: 'Through', plural: 'Doors', options: channelOptions },
  ];
}

const COLUMNS: TableProps.ColumnDefinition<AuditEntry>[] = [
  { id: 'at', header: 'Time', cell: ({ at }) => <Time at={at} />, minWidth: 150 },
  { id: 'who', header: 'Who', cell: ({ actor }) => <span className="value">{actor.id}</span>, minWidth: 90 },
  { id: 'door', header: 'Through', cell: ({ actor }) => <Door actor={actor} />, minWidth: 110 },
  { id: 'action', header: 'Did', cell: ({ action }) => sentence(action), isRowHeader: true, minWidth: 95 },
  { id: 'operation', header: 'Operation', cell: (entry) => <OperationCell entry={entry} />, minWidth: 140 },
  { id: 'cluster', header: 'Cluster', cell: (entry) => <ClusterCell entry={entry} />, minWidth: 110 },
  { id: 'detail', header: 'Detail', cell: ({ detail }) => <span className="value">{detail}</span>, minWidth: 170 },
];

function OperationCell({ entry: { operation_id, kind } }: { entry: AuditEntry }) {
  return <PageLink to={`/operations/${operation_id}`}>{kind ? kindOf(kind) : operation_id}</PageLink>;
}

function ClusterCell({ entry: { cluster_tag } }: { entry: AuditEntry }) {
  return cluster_tag ? <PageLink to={`/clusters/${encodeURIComponent(cluster_tag)}`}>{cluster_tag}</PageLink> : <>-</>;
}
