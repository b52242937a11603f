import type { Operation } from '../../api/schema';

// What ends a cluster here ends what was wrong with it.
const PARTINGS: ReadonlySet<string> = new Set(['delete_cluster', 'forget_cluster']);

/**
 * The operations that failed, without those that a later one made good.
 *
 * Only success does that: of the same kind on the same cluster, or of its deletion. Of several failures of a kind the
 * latest stands for all.
 */
export function unsolved(newestFirst: readonly Operation[]): Operation[] {
  const gone = new Set<string>();
  const told = new Set<string>();
  return newestFirst.filter(({ cluster_tag, kind, status }) => {
    const subject = `${cluster_tag} ${kind}`;
    const isNews = status === 'FAILED' && !gone.has(cluster_tag) && !told.has(subject);
    if (status === 'SUCCEEDED' && PARTINGS.has(kind)) {
      gone.add(cluster_tag);
    }
    if (status === 'SUCCEEDED' || status === 'FAILED') {
      told.add(subject);
    }
    return isNews;
  });
}
