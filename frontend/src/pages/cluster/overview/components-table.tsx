import Box from '@cloudscape-design/components/box';
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { TableProps } from '@cloudscape-design/components/table';
import type { Component } from '../../../api/schema';
import { PagedTable } from '../../../components/paged-table';
import { sentence } from '../../../components/words';
import { here } from '../here';

const TYPES: Readonly<Record<string, StatusIndicatorProps.Type>> = { present: 'success', absent: 'stopped' };

const COLUMNS: TableProps.ColumnDefinition<Component>[] = [
  {
    id: 'name',
    header: 'Part',
    cell: ({ name }) => <span className="value">{name}</span>,
    isRowHeader: true,
    minWidth: 180,
  },
  { id: 'kind', header: 'Kind', cell: ({ kind }) => sentence(kind), minWidth: 130 },
  { id: 'presence', header: 'There', cell: (part) => <Presence part={part} />, minWidth: 180 },
  { id: 'version', header: 'Version', cell: ({ version }) => version ?? '-', minWidth: 120 },
  { id: 'manager', header: 'Made by', cell: ({ managed_by }) => managed_by ?? '-', minWidth: 130 },
  {
    id: 'message',
    header: 'Message',
    cell: ({ message }) => <span className="value">{message ?? '-'}</span>,
    minWidth: 200,
  },
];

/** The parts of an imported cluster as they were measured. */
export function ComponentsTable({ components }: { components: readonly Component[] }) {
  return (
    <PagedTable
      title="Parts"
      listing={here(components)}
      columns={COLUMNS}
      trackBy={({ kind, name, namespace }) => `${kind} ${namespace} ${name}`}
      empty={<Box textAlign="center">No parts were found.</Box>}
    />
  );
}

function Presence({ part: { presence, status } }: { part: Component }) {
  return (
    <StatusIndicator type={TYPES[presence] ?? 'not-started'}>
      {status ? `${sentence(presence)}, ${status}` : sentence(presence)}
    </StatusIndicator>
  );
}
