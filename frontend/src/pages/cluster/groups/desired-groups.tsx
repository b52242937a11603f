import type { TableProps } from '@cloudscape-design/components/table';
import type { DesiredGroup } from '../../../api/schema';
import { EmptyState } from '../../../components/empty-state';
import { PagedTable } from '../../../components/paged-table';
import { sentence } from '../../../components/words';
import { CreateHyperPodButton } from '../create-hyperpod-button';
import { here } from '../here';
import { hasHyperPod } from '../overview/facts';
import type { ClusterProps } from '../tab-list';
import { particularsOf, typesOf } from './groups';

const COLUMNS: TableProps.ColumnDefinition<DesiredGroup>[] = [
  {
    id: 'name',
    header: 'Group',
    cell: ({ name }) => <span className="value">{name}</span>,
    isRowHeader: true,
    minWidth: 140,
  },
  { id: 'type', header: 'Instance type', cell: (group) => typesOf(group), minWidth: 150 },
  { id: 'count', header: 'Instances', cell: ({ instance_count }) => instance_count, minWidth: 110 },
  { id: 'capacity', header: 'Capacity', cell: ({ capacity_type }) => sentence(capacity_type), minWidth: 120 },
  { id: 'zone', header: 'Zone', cell: ({ availability_zone }) => availability_zone ?? "The cluster's", minWidth: 130 },
  { id: 'more', header: 'Particulars', cell: (group) => <Particulars group={group} />, minWidth: 220 },
];

/** The instance groups as they were asked for. */
export function DesiredGroups({ cluster }: ClusterProps) {
  const { spec, tag } = cluster;
  return (
    <PagedTable
      title="Instance groups"
      description="As they were asked for."
      listing={here(spec.instance_groups ?? [])}
      columns={COLUMNS}
      trackBy={({ name }) => name}
      empty={
        <EmptyState
          title="No instance groups were asked for here"
          action={!hasHyperPod(cluster) && <CreateHyperPodButton tag={tag} />}
        >
          {spec.origin === 'imported'
            ? 'What an imported cluster has of its own stands below, if it has any.'
            : 'This cluster is a foundation: it has no HyperPod cluster.'}
        </EmptyState>
      }
    />
  );
}

function Particulars({ group }: { group: DesiredGroup }) {
  const particulars = particularsOf(group);
  return particulars.length === 0
    ? '-'
    : particulars.map((line) => (
        <div key={line} className="value">
          {line}
        </div>
      ));
}
