import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import Header from '@cloudscape-design/components/header';
import Pagination from '@cloudscape-design/components/pagination';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import { useState } from 'react';
import type { Change, Preview } from '../api/schema';
import { perHour } from './money';
import { sentence } from './words';

/** As many rows as people still read in one go: a deletion may name every disk of a fleet. */
const ROWS = 100;

/** What a request would change, in order: why, at what cost, and what cannot be undone. */
export function PreviewTable({ preview, title = 'What would change' }: { preview: Preview; title?: string }) {
  const { cost, unpriced, changes } = preview;
  const [wanted, setWanted] = useState(1);
  const pages = Math.max(1, Math.ceil(changes.length / ROWS));
  const page = Math.min(wanted, pages);
  return (
    <SpaceBetween size="xs">
      <Table
        variant="embedded"
        columnDefinitions={COLUMNS}
        items={changes.slice((page - 1) * ROWS, page * ROWS)}
        wrapLines
        enableKeyboardNavigation
        empty={<Box textAlign="center">Nothing would change.</Box>}
        header={
          <Header variant="h3" counter={pages > 1 ? `(${changes.length})` : undefined}>
            {title}
          </Header>
        }
        pagination={
          pages > 1 ? (
            <Pagination
              currentPageIndex={page}
              pagesCount={pages}
              onChange={({ detail }) => setWanted(detail.currentPageIndex)}
            />
          ) : undefined
        }
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
