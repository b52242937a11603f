import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import { useTrainingPlans } from '../../../api/catalog';
import type { TrainingPlanView } from '../../../api/schema';
import { EmptyState } from '../../../components/empty-state';
import { PagedTable } from '../../../components/paged-table';
import { Time } from '../../../components/time';
import { Unknowns } from '../../../components/unknowns';
import { Capacities, Fee } from './capacities';
import { Offerings } from './offerings';

/** Reserved capacity: what the account has, and what could be bought. */
export default function TrainingPlansTab() {
  const listing = useTrainingPlans();
  return (
    <SpaceBetween size="l">
      <Unknowns unknown={listing.unknown} />
      <PagedTable
        title="Training plans"
        listing={listing}
        columns={COLUMNS}
        trackBy={({ arn }) => arn}
        empty={
          listing.isTold ? (
            <EmptyState title="No training plans">Below you can look what could be reserved.</EmptyState>
          ) : (
            <EmptyState title="Unknown">AWS did not say which training plans there are.</EmptyState>
          )
        }
      />
      <Offerings />
    </SpaceBetween>
  );
}

const COLUMNS: TableProps.ColumnDefinition<TrainingPlanView>[] = [
  {
    id: 'name',
    header: 'Training plan',
    cell: ({ name }) => <span className="value">{name}</span>,
    isRowHeader: true,
    minWidth: 130,
  },
  { id: 'status', header: 'Status', cell: ({ status }) => status, minWidth: 90 },
  {
    id: 'capacities',
    header: 'Reserves',
    cell: ({ capacities }) => <Capacities capacities={capacities} />,
    minWidth: 180,
  },
  {
    id: 'free',
    header: 'Free',
    cell: ({ available_instances, total_instances }) => `${available_instances} of ${total_instances}`,
    minWidth: 85,
  },
  { id: 'starts', header: 'Starts', cell: ({ starts_at }) => <Time at={starts_at} />, minWidth: 130 },
  {
    id: 'ends',
    header: 'Instances go',
    cell: ({ instances_end_at }) => <Time at={instances_end_at} />,
    minWidth: 130,
  },
  { id: 'fee', header: 'Paid upfront', cell: (plan) => <Fee {...plan} />, minWidth: 110 },
];
