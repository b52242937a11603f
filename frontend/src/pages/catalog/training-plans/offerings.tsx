import LiveRegion from '@cloudscape-design/components/live-region';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import { useState } from 'react';
import { type OfferingSearch, useOfferings } from '../../../api/catalog';
import { listingOf } from '../../../api/listings';
import type { OfferingView } from '../../../api/schema';
import { CopyableValue } from '../../../components/copyable-value';
import { spoken } from '../../../components/durations';
import { EmptyState } from '../../../components/empty-state';
import { PagedTable } from '../../../components/paged-table';
import { Time } from '../../../components/time';
import { Unknowns } from '../../../components/unknowns';
import { Capacities, Fee } from './capacities';
import { OfferingForm } from './offering-form';

const HOUR = 3_600;

/** Looks for reserved capacity that could be bought. It buys nothing. */
export function Offerings() {
  const [search, setSearch] = useState<OfferingSearch | null>(null);
  const { isFetching, ...query } = useOfferings(search);
  return (
    <SpaceBetween size="m">
      <OfferingForm
        problem={query.error?.problem}
        busy={isFetching}
        onSearch={(wanted) => {
          setSearch(wanted);
          // The same search again is another question: offerings go quickly.
          if (JSON.stringify(wanted) === JSON.stringify(search)) {
            void query.refetch();
          }
        }}
      />
      <Unknowns unknown={query.data?.unknown} />
      <LiveRegion hidden>
        {query.data?.training_plan_offerings && `${query.data.training_plan_offerings.length} found`}
      </LiveRegion>
      {query.data && (
        <PagedTable
          title="What could be reserved"
          description="An id is good for a short time. Buy in the SageMaker console, or with aws sagemaker create-training-plan."
          listing={listingOf(query.data.training_plan_offerings ?? [], query)}
          columns={COLUMNS}
          trackBy={({ offering_id }) => offering_id}
          empty={
            query.data.training_plan_offerings === null ? (
              <EmptyState title="Unknown">AWS did not say what could be reserved.</EmptyState>
            ) : (
              <EmptyState title="Nothing like that can be reserved now">
                Try fewer instances, a shorter time or a later start.
              </EmptyState>
            )
          }
        />
      )}
    </SpaceBetween>
  );
}

const COLUMNS: TableProps.ColumnDefinition<OfferingView>[] = [
  {
    id: 'capacities',
    header: 'Reserves',
    cell: ({ capacities }) => <Capacities capacities={capacities} />,
    isRowHeader: true,
    minWidth: 230,
  },
  {
    id: 'starts',
    header: 'Starts',
    cell: ({ capacities }) => <Time at={capacities[0]?.starts_at} />,
    minWidth: 170,
  },
  { id: 'lasts', header: 'Lasts', cell: ({ duration_hours }) => spoken(duration_hours * HOUR), minWidth: 100 },
  { id: 'fee', header: 'Paid upfront', cell: (offering) => <Fee {...offering} />, minWidth: 130 },
  {
    id: 'id',
    header: 'Id',
    cell: ({ offering_id }) => <CopyableValue value={offering_id} />,
    minWidth: 200,
  },
];
