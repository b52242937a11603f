import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { TableProps } from '@cloudscape-design/components/table';
import type { ReactNode } from 'react';
import type { useDiagnosis } from '../../../api/cluster-parts';
import { listingOf } from '../../../api/listings';
import type { Diagnosis } from '../../../api/schema';
import { PagedTable } from '../../../components/paged-table';
import { sentence } from '../../../components/words';
import { FoundOut } from './found-out';

export type Check = Diagnosis['checks'][number];

const TYPES: Readonly<Record<string, StatusIndicatorProps.Type>> = {
  PASS: 'success',
  FAIL: 'error',
  WARN: 'warning',
  INFO: 'info',
};

const COLUMNS: TableProps.ColumnDefinition<Check>[] = [
  { id: 'status', header: 'Outcome', cell: (check) => <Outcome check={check} />, minWidth: 130 },
  { id: 'area', header: 'Area', cell: ({ area }) => sentence(area), minWidth: 120 },
  { id: 'check', header: 'Check', cell: ({ check }) => sentence(check), isRowHeader: true, minWidth: 150 },
  { id: 'found', header: 'What was found', cell: (check) => <FoundOut check={check} />, minWidth: 340 },
];

interface Props {
  title: string;
  description?: ReactNode;
  diagnosis: ReturnType<typeof useDiagnosis>;
  /** Which of the checks are shown. */
  only?: (check: Check) => boolean;
  actions?: ReactNode;
  filter?: ReactNode;
}

/** The checks of a diagnosis, what blocks first. */
export function ChecksTable({ title, description, diagnosis, only = () => true, actions, filter }: Props) {
  return (
    <PagedTable
      title={title}
      description={description}
      listing={listingOf(diagnosis.data?.checks.filter(only), diagnosis)}
      columns={COLUMNS}
      trackBy={({ check, resource, message }) => `${check} ${resource} ${message}`}
      actions={actions}
      filter={filter}
      empty={<Box textAlign="center">No check has this outcome.</Box>}
    />
  );
}

function Outcome({ check: { status, priority } }: { check: Check }) {
  return (
    <>
      <StatusIndicator type={TYPES[status] ?? 'info'}>{status}</StatusIndicator>{' '}
      {priority && <Badge color={priority === 'P0' ? 'severity-critical' : 'severity-medium'}>{priority}</Badge>}
    </>
  );
}
