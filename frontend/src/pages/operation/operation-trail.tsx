import Box from '@cloudscape-design/components/box';
import type { TableProps } from '@cloudscape-design/components/table';
import { listingOf } from '../../api/listings';
import { useOperationAudit } from '../../api/operations';
import type { AuditEntry } from '../../api/schema';
import { PagedTable } from '../../components/paged-table';
import { Time } from '../../components/time';
import { sentence } from '../../components/words';

const COLUMNS: TableProps.ColumnDefinition<AuditEntry>[] = [
  { id: 'at', header: 'Time', cell: ({ at }) => <Time at={at} />, minWidth: 190 },
  {
    id: 'who',
    header: 'Who',
    cell: ({ actor }) => <span className="value">{`${actor.id}, by ${actor.channel}`}</span>,
    minWidth: 160,
  },
  { id: 'action', header: 'Did', cell: ({ action }) => sentence(action), isRowHeader: true, minWidth: 140 },
  { id: 'detail', header: 'Detail', cell: ({ detail }) => <span className="value">{detail}</span>, minWidth: 220 },
];

/** Who did what to an operation. */
export function OperationTrail({ operationId }: { operationId: string }) {
  const audit = useOperationAudit(operationId);
  return (
    <PagedTable
      title="Audit"
      listing={listingOf(audit.data?.entries, audit)}
      columns={COLUMNS}
      trackBy={({ entry_id }) => entry_id}
      empty={<Box textAlign="center">Nothing is noted.</Box>}
    />
  );
}
