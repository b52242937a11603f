const PROPER: Readonly<Record<string, string>> = {
  aws: 'AWS',
  eks: 'EKS',
  hyperpod: 'HyperPod',
  oidc: 'OIDC',
  csi: 'CSI',
  addon: 'add-on',
  addons: 'add-ons',
};

/** A name of the API as people read it: `create_cluster` becomes `Create cluster`. */
export function sentence(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replaceAll('HyperPod', 'Hyperpod')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/\w+/g, (word) => PROPER[word] ?? word);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const REASONS: Readonly<Record<string, string>> = {
  WAITING_CAPACITY: 'waiting for capacity',
  WAITING_NODES: 'waiting for nodes',
  WAITING_DEEP_HEALTH_CHECK: 'waiting for the deep health check',
  BLOCKED: 'blocked',
  LOST: 'lost',
  ABORTED: 'aborted',
  TIMED_OUT: 'timed out',
  CANCELLED_BY_CALLER: 'cancelled by its caller',
};

/** Why a status is what it is; a reason of a newer API is told in its own words. */
export function reasonOf(reason: string): string {
  return REASONS[reason] ?? sentence(reason).toLowerCase();
}

const KINDS: Readonly<Record<string, string>> = {
  create_hyperpod: 'Create HyperPod cluster',
  delete_hyperpod: 'Delete HyperPod cluster',
};

/** What an operation does, by its kind. */
export function kindOf(kind: string): string {
  return KINDS[kind] ?? sentence(kind);
}
