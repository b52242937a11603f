import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { TableProps } from '@cloudscape-design/components/table';
import { useZones } from '../../../api/catalog';
import { listingOf } from '../../../api/listings';
import type { ZoneView } from '../../../api/schema';
import { EmptyState } from '../../../components/empty-state';
import { PagedTable } from '../../../components/paged-table';
import { NotSaid, Unknowns } from '../../../components/unknowns';
import { sentence } from '../../../components/words';
import { TypesChooser, useChosenTypes } from '../types-chooser';

/** The region's zones, and what each offers. */
export default function ZonesTab() {
  const [types, choose] = useChosenTypes();
  const query = useZones(types);
  const zones = query.data?.availability_zones;
  return (
    <SpaceBetween size="m">
      <Unknowns unknown={query.data?.unknown} />
      <TypesChooser
        label="Instance types"
        description="For each one chosen here, a column says which zones offer it."
        chosen={types}
        onChoose={choose}
      />
      <PagedTable
        title="Zones"
        description={query.data && `Of ${query.data.region}. A name is this account’s own, an id is everybody’s.`}
        listing={listingOf(zones ?? [], query)}
        columns={[...COLUMNS, ...types.map(offers)]}
        trackBy={({ id }) => id}
        empty={
          zones === null ? (
            <EmptyState title="Unknown">AWS did not name the zones.</EmptyState>
          ) : (
            <EmptyState title="No zones" />
          )
        }
      />
    </SpaceBetween>
  );
}

const COLUMNS: TableProps.ColumnDefinition<ZoneView>[] = [
  { id: 'name', header: 'Zone', cell: ({ name }) => name, isRowHeader: true, minWidth: 130 },
  { id: 'id', header: 'Id', cell: ({ id }) => id, minWidth: 110 },
  { id: 'state', header: 'State', cell: ({ state }) => sentence(state), minWidth: 110 },
  {
    id: 'control_plane',
    header: 'Control planes',
    cell: ({ control_plane }) => (control_plane ? 'Yes' : 'No: EKS places none here, nodes may stand here'),
    minWidth: 160,
  },
];

function offers(type: string): TableProps.ColumnDefinition<ZoneView> {
  return { id: type, header: type, cell: (zone) => <Offered zone={zone} type={type} />, minWidth: 170 };
}

function Offered({ zone, type }: { zone: ZoneView; type: string }) {
  const offered = zone.instance_types.find(({ instance_type }) => instance_type === type)?.offered;
  if (offered === null || offered === undefined) {
    return <NotSaid />;
  }
  return (
    <StatusIndicator type={offered ? 'success' : 'stopped'}>{offered ? 'Offered' : 'Not offered'}</StatusIndicator>
  );
}
