import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import { useQuotas } from '../../../api/catalog';
import { listingOf } from '../../../api/listings';
import type { QuotaView } from '../../../api/schema';
import { EmptyState } from '../../../components/empty-state';
import { PagedTable } from '../../../components/paged-table';
import { NotSaid, Unknowns } from '../../../components/unknowns';
import { TypesChooser, useChosenTypes } from '../types-chooser';
import { AskForMore } from './ask-for-more';
import { nearestFirst } from './nearness';
import { UseBar } from './use-bar';

/** The quotas by which a new cluster is judged. */
export default function QuotasTab() {
  const [types, choose] = useChosenTypes();
  const query = useQuotas(types);
  const quotas = query.data && nearestFirst(query.data.quotas);
  return (
    <SpaceBetween size="m">
      <Unknowns unknown={query.data?.unknown} />
      <TypesChooser
        label="Instance types"
        description="Each type has quotas of its own, which are read for those chosen here."
        chosen={types}
        onChoose={choose}
      />
      <PagedTable
        title="Quotas"
        description="What is nearest to its limit stands first."
        listing={listingOf(quotas, query)}
        columns={COLUMNS}
        trackBy={({ service, name }) => `${service} ${name}`}
        empty={<EmptyState title="No quotas" />}
      />
    </SpaceBetween>
  );
}

const COLUMNS: TableProps.ColumnDefinition<QuotaView>[] = [
  {
    id: 'name',
    header: 'Quota',
    cell: ({ name }) => <span className="value">{name}</span>,
    isRowHeader: true,
    minWidth: 260,
  },
  { id: 'service', header: 'Service', cell: ({ service }) => service, minWidth: 110 },
  { id: 'use', header: 'In use', cell: (quota) => <UseBar quota={quota} />, minWidth: 220 },
  { id: 'left', header: 'Left', cell: ({ available }) => available ?? <NotSaid />, minWidth: 90 },
  { id: 'more', header: 'Increase', cell: (quota) => <AskForMore quota={quota} />, minWidth: 160 },
];
