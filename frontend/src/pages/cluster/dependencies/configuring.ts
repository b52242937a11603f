import type { Operation, Stage } from '../../../api/schema';

const PHASE = 'dependencies';

const KINDS: ReadonlySet<string> = new Set(['configure_dependencies', 'create_cluster', 'repair_cluster']);

/** The newest operation that has to do with the dependencies. */
export function lastOf(newestFirst: readonly Operation[]): Operation | undefined {
  return newestFirst.find(({ kind }) => KINDS.has(kind));
}

/** The stages of an operation that make the dependencies; none where they are not read yet. */
export function stagesOf({ stages }: Operation): Stage[] {
  return (stages ?? []).filter(({ phase }) => phase === PHASE);
}
