import type { Operation } from '../../api/schema';

/** The operations that failed, without those that a later one of the same kind on the same cluster made good. */
export function unsolved(newestFirst: readonly Operation[]): Operation[] {
  const solved = new Set<string>();
  const found: Operation[] = [];
  for (const operation of newestFirst) {
    const subject = `${operation.cluster_tag} ${operation.kind}`;
    if (operation.status === 'FAILED' && !solved.has(subject)) {
      found.push(operation);
    }
    solved.add(subject);
  }
  return found;
}
