import type { Operation } from '../../../api/schema';

/** The phase in which the dependencies are made. */
export const PHASE = 'dependencies';

const KINDS: ReadonlySet<string> = new Set(['configure_dependencies', 'create_cluster', 'repair_cluster']);

/** The newest operation that has to do with the dependencies. */
export function lastOf(newestFirst: readonly Operation[]): Operation | undefined {
  return newestFirst.find(({ kind }) => KINDS.has(kind));
}

/** An operation with one of its phases alone; undefined where it has none of the name, or its stages are not read yet. */
export function phaseOf(operation: Operation, name: string): Operation | undefined {
  const stages = (operation.stages ?? []).filter(({ phase }) => phase === name);
  const phases = (operation.phases ?? []).filter((phase) => phase.name === name);
  return stages.length > 0 ? { ...operation, stages, phases } : undefined;
}
