import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import { listingOf } from '../../api/listings';
import { PagedTable } from '../../components/paged-table';
import { sentence } from '../../components/words';
import type { Tool } from './filling';

const THERE = { isPending: false, error: null, refetch: () => undefined };

/** What an agent may do at the chosen address, and before what it asks. */
export function Tools({ tools }: { tools: readonly Tool[] }) {
  const ordered = [...tools].sort((one, other) => rank(one) - rank(other));
  return (
    <PagedTable
      title="What it may do"
      description="By the configurations above. What a person may not do, their agent may not either."
      listing={listingOf(ordered, THERE)}
      columns={COLUMNS}
      trackBy={({ name }) => name}
      empty={<Box textAlign="center">No tool is offered at this address.</Box>}
    />
  );
}

const COLUMNS: TableProps.ColumnDefinition<Tool>[] = [
  { id: 'title', header: 'Tool', cell: (tool) => <ToolCell tool={tool} />, isRowHeader: true, minWidth: 200 },
  { id: 'asks', header: 'Before it does', cell: (tool) => <Asks tool={tool} />, minWidth: 190 },
  { id: 'description', header: 'What it does', cell: ({ description }) => description, minWidth: 260 },
  { id: 'toolset', header: 'Toolset', cell: ({ toolset }) => sentence(toolset), minWidth: 110 },
];

function ToolCell({ tool: { title, name } }: { tool: Tool }) {
  return (
    <>
      {title}
      <Box variant="code" display="block">
        {name}
      </Box>
    </>
  );
}

function Asks({ tool: { reads, destroys } }: { tool: Tool }) {
  if (reads) {
    return <>Goes ahead: it only reads</>;
  }
  return (
    <SpaceBetween size="xxs">
      <span>Asks first</span>
      {destroys && <Badge color="red">Needs its own preview</Badge>}
    </SpaceBetween>
  );
}

/** What asks most stands first. */
function rank({ reads, destroys }: Tool): number {
  return reads ? 2 : destroys ? 0 : 1;
}
