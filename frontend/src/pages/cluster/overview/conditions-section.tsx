import Box from '@cloudscape-design/components/box';
import type { TableProps } from '@cloudscape-design/components/table';
import type { Condition } from '../../../api/schema';
import { ConditionStatus } from '../../../components/condition-badge';
import { PagedTable } from '../../../components/paged-table';
import { Time } from '../../../components/time';
import { sentence } from '../../../components/words';
import { here } from '../here';
import { OperationWords } from '../operation-words';
import type { ClusterProps } from '../tab-list';

const COLUMNS: TableProps.ColumnDefinition<Condition>[] = [
  {
    id: 'type',
    header: 'Condition',
    cell: ({ type }) => <bdi>{sentence(type)}</bdi>,
    isRowHeader: true,
    minWidth: 150,
  },
  { id: 'status', header: 'Holds', cell: (condition) => <ConditionStatus condition={condition} />, minWidth: 110 },
  { id: 'reason', header: 'Reason', cell: ({ reason }) => (reason ? sentence(reason) : '-'), minWidth: 120 },
  {
    id: 'message',
    header: 'Message',
    cell: ({ message }) => <OperationWords text={message ?? '-'} />,
    minWidth: 220,
  },
  { id: 'since', header: 'Since', cell: ({ since }) => <Time at={since} />, minWidth: 190 },
];

/** What pipelines last found out about the sides of a cluster. */
export function Conditions({ cluster }: ClusterProps) {
  return (
    <PagedTable
      title="Conditions"
      description="What operations and AWS last said of each side of the cluster."
      listing={here(cluster.conditions)}
      columns={COLUMNS}
      trackBy={({ type }) => type}
      empty={<Box textAlign="center">Nothing is known yet: no operation has made anything of this cluster.</Box>}
    />
  );
}
