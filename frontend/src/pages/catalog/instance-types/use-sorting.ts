import type { TableProps } from '@cloudscape-design/components/table';
import { useState } from 'react';
import type { Sorting } from '../../../components/paged-table';
import { type SortableColumn, sortedBy } from './sorting';

/** Sort what is all here by a column, at first by the one that is named; `sorting` is for PagedTable. */
export function useSorting<Item>(
  items: readonly Item[],
  columns: readonly SortableColumn<Item>[],
  atFirst?: TableProps.SortingState<Item>,
): { sorted: readonly Item[]; sorting: Sorting<Item> } {
  const [state, setState] = useState(atFirst);
  const of = columns.find(({ id }) => id === state?.sortingColumn.sortingField)?.of;
  const sortingDescending = state?.isDescending ?? false;
  return {
    sorted: of ? sortedBy(items, of, sortingDescending) : items,
    sorting: {
      sortingColumn: state?.sortingColumn,
      sortingDescending,
      onSortingChange: ({ detail }) => setState(detail),
    },
  };
}
