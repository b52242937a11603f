import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import type { Change, Preview } from '../api/schema';
import { perHour } from './money';
import { sentence } from './words';

/** What a request would change, in order: why, at what cost, and what cannot be undone. */
export function PreviewTable({ preview, title = 'What would change' }: { preview: Preview; title?: string }) {
  const { cost, unpriced } = preview;
  return (
    <SpaceBetween size="xs">
      <Table
        variant="embedded"
        columnDefinitions={COLUMNS}
        items={preview.changes}
        wrapLines
        enableKeyboardNavigation
        empty={<Box textAlign="center">Nothing would change.</Box>}
        header={<Header variant="h3">{title}</Header>}
      />
      {cost && (
        <Box fontWeight="bold">
          {perHour(cost)} in all, by prices of {cost.as_of}
        </Box>
      )}
      {(unpriced ?? []).length > 0 && <Box>Without a known price: {(unpriced ?? []).join(', ')}</Box>}
    </SpaceBetween>
  );
}

const COLUMNS: TableProps.ColumnDefinition<Change>[] = [
  { id: 'action', header: 'Change', cell: (change) => <ActionCell change={change} />, minWidth: 130 },
  { id: 'resource', header: 'Resource', cell: ({ resource }) => resource, minWidth: 140 },
  { id: 'name', header: 'Name', cell: ({ name }) => <span className="value">{name}</span>, minWidth: 180 },
  { id: 'reason', header: 'Why', cell: ({ reason }) => reason, minWidth: 220 },
  { id: 'cost', header: 'Cost', cell: ({ cost }) => (cost ? perHour(cost) : '-'), minWidth: 130 },
];

function ActionCell({ change: { action, irreversible } }: { change: Change }) {
  return (
    <SpaceBetween direction="horizontal" size="xxs">
      <span>{sentence(action)}</span>
      {irreversible && <Badge color="red">Cannot be undone</Badge>}
    </SpaceBetween>
  );
}
