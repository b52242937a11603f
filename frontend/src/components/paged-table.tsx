import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Pagination from '@cloudscape-design/components/pagination';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Listing } from '../api/listings';
import { EmptyState } from './empty-state';
import { NotRead } from './not-read';

/** A page of rows: however large the fleet, no more are in the document. */
export const ROWS = 50;

// A page of the API can be short, or empty, and still not the last one: what matches little is looked for far back.
const READ_UNASKED = 8;

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
  const { page, pages, go, rows, again } = usePageOf(listing);
  const failed = listing.error && <NotRead problem={listing.error.problem} onRetry={again} />;
  if (failed && listing.items.length === 0) {
    // What was filtered by may be what failed: it has to be taken back here.
    return (
      <SpaceBetween size="m">
        {filter}
        {failed}
      </SpaceBetween>
    );
  }
  const table = (
    <Table
      variant={more.variant ?? 'container'}
      columnDefinitions={columns}
      {...more.sorting}
      items={rows}
      trackBy={trackBy}
      loading={listing.isPending || (rows.length === 0 && listing.isReadingMore)}
      loadingText={`Reading ${title.toLowerCase()}`}
      empty={listing.hasMore ? <NothingSoFar onGoOn={listing.readMore} /> : empty}
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
  // What was read before stays where more of it, or a newer state, could not be read.
  return failed ? (
    <SpaceBetween size="m">
      {failed}
      {table}
    </SpaceBetween>
  ) : (
    table
  );
}

function usePageOf<Item>(listing: Listing<Item>) {
  const [wanted, setWanted] = useState(1);
  const pages = Math.max(1, Math.ceil(listing.items.length / ROWS));
  // The page after the last one is there as soon as it has been read, if there is one.
  const page = Math.min(wanted, listing.isReadingMore ? pages + 1 : pages);
  const rows = listing.items.slice((page - 1) * ROWS, page * ROWS);
  useFilled(listing, rows.length);
  const go = (index: number) => {
    setWanted(index);
    if (index > pages && listing.hasMore) {
      listing.readMore();
    }
  };
  // The page that somebody went to, and did not get.
  const again = wanted > pages && listing.hasMore ? listing.readMore : listing.refresh;
  return { page, pages, go, rows, again };
}

/** Read on, for a while, until a page of rows is full. */
function useFilled<Item>({ hasMore, isReadingMore, isPending, error, readMore }: Listing<Item>, rows: number): void {
  const read = useRef(0);
  const goesOn = rows < ROWS && hasMore && !isReadingMore && !isPending && error === null;
  useEffect(() => {
    if (goesOn && read.current < READ_UNASKED) {
      read.current += 1;
      readMore();
    }
  });
}

function NothingSoFar({ onGoOn }: { onGoOn: () => void }) {
  return (
    <EmptyState
      title="Nothing so far"
      action={
        <Button formAction="none" onClick={onGoOn}>
          Look further back
        </Button>
      }
    />
  );
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
