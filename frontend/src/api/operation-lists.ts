import type { InfiniteData } from '@tanstack/react-query';
import type { Operation, Page, paths } from './schema';

export type OperationFilters = Omit<
  NonNullable<paths['/api/operations']['get']['parameters']['query']>,
  'limit' | 'next_token'
>;

/** A list of operations, newest first, as far as it has been read. */
export type Listed = InfiniteData<Page, string | undefined>;

// The type has a filter that a newer API brings be named here.
const COMPARED: { readonly [Name in keyof Required<OperationFilters>]: (operation: Operation) => string } = {
  cluster_tag: ({ cluster_tag }) => cluster_tag,
  kind: ({ kind }) => kind,
  status: ({ status }) => status,
};

/** Whether a list that is narrowed by some filters has an operation. */
export function belongs(filters: OperationFilters, operation: Operation): boolean {
  const names = Object.keys(COMPARED) as (keyof OperationFilters)[];
  return names.every((name) => !filters[name] || filters[name] === COMPARED[name](operation));
}

/**
 * Put an operation where it stands in a list now: into its place, in place of an older version, or out of it.
 *
 * A list that has not been read so far back stays as it is; null where only the API can say whether that is so.
 */
export function placed(list: Listed, filters: OperationFilters, told: Operation): Listed | null {
  const held = operationsIn(list).find(({ operation_id }) => operation_id === told.operation_id);
  if (held !== undefined && held.version >= told.version) {
    return list;
  }
  if (!belongs(filters, told)) {
    return held === undefined ? list : mapped(list, (operations) => operations.filter((each) => each !== held));
  }
  return held === undefined
    ? inserted(list, told)
    : mapped(list, (operations) => operations.map((each) => (each === held ? told : each)));
}

/** All operations of a list as far as it has been read. */
export function operationsIn(list: Listed): Operation[] {
  return list.pages.flatMap(({ operations }) => operations);
}

function inserted(list: Listed, told: Operation): Listed | null {
  const older = operationsIn(list).find((each) => isOlder(each, told));
  if (older !== undefined) {
    return mapped(list, (operations) => operations.flatMap((each) => (each === older ? [told, each] : [each])));
  }
  if (list.pages.at(-1)?.next_token) {
    return operationsIn(list).length > 0 ? list : null;
  }
  const last = list.pages.length - 1;
  return mapped(list, (operations, page) => (page === last ? [...operations, told] : operations));
}

function isOlder(one: Operation, other: Operation): boolean {
  const [before, after] = [Date.parse(one.created_at), Date.parse(other.created_at)];
  return before === after ? one.operation_id < other.operation_id : before < after;
}

function mapped(list: Listed, change: (operations: Operation[], page: number) => Operation[]): Listed {
  const pages = list.pages.map((page, index) => ({ ...page, operations: change(page.operations, index) }));
  return { ...list, pages };
}
