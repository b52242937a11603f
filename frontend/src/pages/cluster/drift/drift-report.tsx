import Alert from '@cloudscape-design/components/alert';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import type { ReactNode } from 'react';
import type { DriftReport } from '../../../api/schema';
import { ConditionStatus } from '../../../components/condition-badge';
import { EmptyState } from '../../../components/empty-state';
import { PageLink } from '../../../components/page-link';
import { PagedTable } from '../../../components/paged-table';
import { Time } from '../../../components/time';
import { WithRemedy } from '../../../components/with-remedy';
import { sentence } from '../../../components/words';
import { here } from '../here';
import { UnknownParts } from './unknown-parts';

type Drift = DriftReport['drifts'][number];

const COLUMNS: TableProps.ColumnDefinition<Drift>[] = [
  {
    id: 'resource',
    header: 'Resource',
    cell: ({ resource }) => <span className="value">{resource}</span>,
    isRowHeader: true,
    minWidth: 200,
  },
  { id: 'kind', header: 'Kind', cell: ({ kind }) => sentence(kind), minWidth: 120 },
  {
    id: 'property',
    header: 'What of it',
    cell: ({ property }) => <span className="value">{property ?? 'The whole'}</span>,
    minWidth: 130,
  },
  {
    id: 'expected',
    header: 'As it was made',
    cell: ({ expected }) => <span className="value">{expected ?? '-'}</span>,
    minWidth: 150,
  },
  {
    id: 'actual',
    header: 'As it is',
    cell: ({ actual, remedy }) => <WithRemedy remedy={remedy}>{actual ?? '-'}</WithRemedy>,
    minWidth: 150,
  },
  {
    id: 'repair',
    header: 'A repair',
    cell: ({ repaired_by }) => (repaired_by ? `Mends it (${repaired_by})` : 'Leaves it'),
    minWidth: 150,
  },
];

/** What the last detection found. */
export function DriftReportShown({ report, actions }: { report: DriftReport; actions: ReactNode }) {
  const { drifts, unknown, more = 0, message, in_sync, detected_at, operation_id } = report;
  return (
    <SpaceBetween size="l">
      <PagedTable
        title="Drift"
        description={
          <>
            <div className="stage-head">
              <span>In sync:</span>
              <ConditionStatus condition={{ type: 'InSync', status: in_sync }} />
              <span className="value">{message}</span>
            </div>
            <div>
              Detected <Time at={detected_at} as="relative" /> by{' '}
              <PageLink to={`/operations/${operation_id}`}>{operation_id}</PageLink>
            </div>
          </>
        }
        listing={here(drifts)}
        columns={COLUMNS}
        trackBy={({ kind, resource, property }) => `${kind} ${resource} ${property}`}
        actions={actions}
        empty={<EmptyState title="Nothing drifted">All that could be looked at is as it was made.</EmptyState>}
      />
      {more > 0 && <Alert type="info">{more} more differences are not listed.</Alert>}
      {unknown.length > 0 && <UnknownParts unknown={unknown} />}
    </SpaceBetween>
  );
}
