import SpaceBetween from '@cloudscape-design/components/space-between';
import { useSearchParams } from 'react-router';
import { useInstanceTypes } from '../../../api/catalog';
import { listingOf } from '../../../api/listings';
import { EmptyState } from '../../../components/empty-state';
import { PagedTable } from '../../../components/paged-table';
import { Unknowns } from '../../../components/unknowns';
import { COLUMNS } from './columns';
import { InstanceTypeDetail } from './instance-type-detail';
import { matching, wantedIn } from './matching';
import { TypeFilters } from './type-filters';
import { useSorting } from './use-sorting';

// Whoever looks here looks for them.
const MOST_ACCELERATORS = { sortingColumn: { sortingField: 'accelerators' }, isDescending: true };

/** The instance types that HyperPod clusters take. */
export default function InstanceTypesTab() {
  const [search, setSearch] = useSearchParams();
  const { filters, words } = wantedIn(search);
  const query = useInstanceTypes(filters);
  const { sorted, sorting } = useSorting(matching(query.data?.types ?? [], words), COLUMNS, MOST_ACCELERATORS);
  const detail = search.get('type');
  const isTold = query.data?.types !== null;
  return (
    <SpaceBetween size="m">
      <Unknowns unknown={query.data?.unknown} isShipped={query.data?.source === 'shipped'} />
      <TypeFilters />
      <PagedTable
        key={`${JSON.stringify(filters)} ${words}`}
        title="Instance types"
        listing={listingOf(sorted, query)}
        columns={COLUMNS}
        sorting={sorting}
        trackBy={({ name }) => name}
        empty={
          isTold ? (
            <EmptyState title="No instance type is like that" />
          ) : (
            <EmptyState title="Unknown">AWS did not say which instance types pass the filter.</EmptyState>
          )
        }
      />
      {detail !== null && (
        <InstanceTypeDetail
          name={detail}
          onClose={() =>
            setSearch((before) => {
              const after = new URLSearchParams(before);
              after.delete('type');
              return after;
            })
          }
        />
      )}
    </SpaceBetween>
  );
}
