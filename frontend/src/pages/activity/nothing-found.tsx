import Button from '@cloudscape-design/components/button';
import { useSearchParams } from 'react-router';
import { EmptyState } from '../../components/empty-state';

/** What stands in a list without rows: nobody did anything yet, or nothing that was asked for. */
export function NothingFound({ what, isFiltered }: { what: string; isFiltered: boolean }) {
  const [, setSearch] = useSearchParams();
  if (!isFiltered) {
    return <EmptyState title="Nobody has done anything yet">What people and agents do appears here.</EmptyState>;
  }
  return (
    <EmptyState
      title={`No ${what} is like that`}
      action={<Button onClick={() => setSearch(new URLSearchParams(), { replace: true })}>Clear filters</Button>}
    />
  );
}
