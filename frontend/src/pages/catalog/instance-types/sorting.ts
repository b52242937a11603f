import type { TableProps } from '@cloudscape-design/components/table';

/** A column of a table that can be sorted by what `of` gives, under its own id; null is what is not known. */
export interface SortableColumn<Item> extends TableProps.ColumnDefinition<Item> {
  of?: (item: Item) => number | string | null | undefined;
}

/** Sort by a column. What is not known stands last, whichever way. */
export function sortedBy<Item>(
  items: readonly Item[],
  of: NonNullable<SortableColumn<Item>['of']>,
  isDescending: boolean,
): Item[] {
  const direction = isDescending ? -1 : 1;
  return [...items].sort((one, other) => {
    const [first, second] = [of(one) ?? null, of(other) ?? null];
    if (first === null || second === null) {
      return Number(first === null) - Number(second === null);
    }
    return direction * compared(first, second);
  });
}

function compared(one: number | string, other: number | string): number {
  return typeof one === 'number' && typeof other === 'number'
    ? one - other
    : String(one).localeCompare(String(other), undefined, { numeric: true });
}
