import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Pagination from '@cloudscape-design/components/pagination';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import { type ReactNode, useState } from 'react';
import type { Listing } from '../api/listings';
import { ProblemAlert } from './problem-alert';

/** A page of rows: however large the fleet, no more are in the document. */
export const ROWS = 50;

/** By what the rows are sorted, where all of them are here. */
export type Sorting<Item> = Pick<TableProps<Item>, 'sortingColumn' | 'sortingDescending' | 'onSortingChange'>;

interface Props<Item> {
  title: string;
  listing: Listing<Item>;
  columns: readonly TableProps.ColumnDefinition<Item>[];
  /** What tells one item from another. */
  trackBy: (item: Item) => string;
  empty: ReactNode;
  actions?: ReactNode;
  filter?: ReactNode;
  description?: ReactNode;
  variant?: TableProps.Variant;
  sorting?: Sorting<Item>;
}

/** A list of the API as a table, a page of rows at a time; further pages are read when somebody goes there. */
export function PagedTable<Item>({ title, listing, columns, trackBy, empty, filter, ...more }: Props<Item>) {
  const { page, pages, go, rows } = usePageOf(listing);
  if (listing.error && listing.items.length === 0) {
    return (
      <ProblemAlert problem={listing.error.problem} action={<Button onClick={listing.refresh}>Try again</Button>} />
    );
  }
  return (
    <Table
      variant={more.variant ?? 'container'}
      columnDefinitions={columns}
      {...more.sorting}
      items={rows}
      trackBy={trackBy}
      loading={listing.isPending || (rows.length === 0 && listing.isReadingMore)}
      loadingText={`Reading ${title.toLowerCase()}`}
      empty={empty}
      wrapLines
      enableKeyboardNavigation
      filter={filter}
      header={
        <Header description={more.description} actions={more.actions} counter={counterOf(listing)}>
          {title}
        </Header>
      }
      pagination={
        pages > 1 || listing.hasMore ? (
          <Pagination
            currentPageIndex={page}
            pagesCount={pages}
            openEnd={listing.hasMore}
            onChange={({ detail }) => go(detail.currentPageIndex)}
          />
        ) : undefined
      }
      ariaLabels={{ tableLabel: title }}
    />
  );
}

function usePageOf<Item>(listing: Listing<Item>) {
  const [wanted, setWanted] = useState(1);
  const pages = Math.max(1, Math.ceil(listing.items.length / ROWS));
  // The page after the last one that was read is there as soon as it is.
  const page = Math.min(wanted, listing.hasMore ? pages + 1 : pages);
  const go = (index: number) => {
    setWanted(index);
    if (index > pages && listing.hasMore) {
      listing.readMore();
    }
  };
  return { page, pages, go, rows: listing.items.slice((page - 1) * ROWS, page * ROWS) };
}

function counterOf<Item>({ items, hasMore, isPending }: Listing<Item>): string | undefined {
  return isPending ? undefined : `(${items.length}${hasMore ? '+' : ''})`;
}

/** Buttons beside each other, as a table's actions. */
export function Actions({ children }: { children: ReactNode }) {
  return (
    <SpaceBetween direction="horizontal" size="xs">
      {children}
    </SpaceBetween>
  );
}
