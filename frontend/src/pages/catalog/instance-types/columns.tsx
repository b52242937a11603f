import { useSearchParams } from 'react-router';
import type { InstanceTypeView } from '../../../api/schema';
import { perHour } from '../../../components/money';
import { PageLink } from '../../../components/page-link';
import { NotSaid } from '../../../components/unknowns';
import { acceleratorMemory } from './matching';
import type { SortableColumn } from './sorting';
import { Zones } from './zones';

const SORTABLE: SortableColumn<InstanceTypeView>[] = [
  {
    id: 'name',
    header: 'Instance type',
    cell: ({ name }) => <DetailLink name={name} />,
    isRowHeader: true,
    minWidth: 155,
    of: ({ name }) => name,
  },
  {
    id: 'accelerators',
    header: 'Accelerators',
    cell: ({ accelerator, accelerator_count: count }) => (count > 0 ? `${count} × ${accelerator}` : '-'),
    minWidth: 130,
    of: ({ accelerator_count }) => accelerator_count,
  },
  {
    id: 'accelerator_memory',
    header: 'Their memory',
    cell: (type) => (type.accelerator_count > 0 ? `${acceleratorMemory(type)} GiB` : '-'),
    minWidth: 105,
    of: acceleratorMemory,
  },
  { id: 'vcpus', header: 'vCPUs', cell: ({ vcpus }) => vcpus, minWidth: 95, of: ({ vcpus }) => vcpus },
  {
    id: 'memory',
    header: 'Memory',
    cell: ({ memory_gib }) => `${memory_gib} GiB`,
    minWidth: 105,
    of: ({ memory_gib }) => memory_gib,
  },
  {
    id: 'efa',
    header: 'EFA',
    cell: ({ efa_interfaces }) => efa_interfaces || '-',
    minWidth: 85,
    of: ({ efa_interfaces }) => efa_interfaces,
  },
  {
    id: 'price',
    header: 'On-Demand price',
    cell: ({ price }) => (price ? perHour(price) : <NotSaid />),
    minWidth: 105,
    of: ({ price }) => price?.per_hour,
  },
  {
    id: 'zones',
    header: 'Zones',
    cell: ({ availability_zones }) => <Zones names={availability_zones} />,
    minWidth: 120,
  },
];

export const COLUMNS = SORTABLE.map((column) => (column.of ? { ...column, sortingField: column.id } : column));

function DetailLink({ name }: { name: string }) {
  const [search] = useSearchParams();
  const there = new URLSearchParams(search);
  there.set('type', name);
  return <PageLink to={`/catalog/instance-types?${there}`}>{name}</PageLink>;
}
