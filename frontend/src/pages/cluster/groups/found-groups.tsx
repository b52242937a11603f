import Box from '@cloudscape-design/components/box';
import type { TableProps } from '@cloudscape-design/components/table';
import type { FoundGroup, FoundHyperPod } from '../../../api/schema';
import { PagedTable } from '../../../components/paged-table';
import { Time } from '../../../components/time';
import { sentence } from '../../../components/words';
import { here } from '../here';

const COLUMNS: TableProps.ColumnDefinition<FoundGroup>[] = [
  {
    id: 'name',
    header: 'Group',
    cell: ({ name }) => <span className="value">{name}</span>,
    isRowHeader: true,
    minWidth: 140,
  },
  { id: 'status', header: 'Status', cell: ({ status }) => status, minWidth: 120 },
  { id: 'type', header: 'Instance type', cell: ({ instance_types }) => instance_types.join(', '), minWidth: 150 },
  { id: 'count', header: 'There / wanted', cell: ({ current, target }) => `${current} / ${target}`, minWidth: 130 },
  { id: 'capacity', header: 'Capacity', cell: ({ capacity_type }) => sentence(capacity_type), minWidth: 120 },
];

/** The instance groups of an imported cluster as they were found. */
export function FoundGroups({ hyperpod, at }: { hyperpod: FoundHyperPod; at: string | undefined }) {
  return (
    <PagedTable
      title="Instance groups that were found"
      description={
        <>
          Of <span className="value">{hyperpod.name}</span>, {hyperpod.status}, detected <Time at={at} as="relative" />.
        </>
      }
      listing={here(hyperpod.groups)}
      columns={COLUMNS}
      trackBy={({ name }) => name}
      empty={<Box textAlign="center">The HyperPod cluster has no instance groups.</Box>}
    />
  );
}
