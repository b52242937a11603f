import type { AccessView } from '../../../api/schema';
import { sentence } from '../../../components/words';

/** What an entry grants, a line each: a permission or policy and where it holds, or the Kubernetes groups. */
export function grantedIn({ granted, kubernetes_groups }: AccessView): string[] {
  const policies = granted.map(({ permission, policy_arn, namespaces }) => {
    const what = permission ? sentence(permission) : (policy_arn.split('/').at(-1) ?? policy_arn);
    return namespaces?.length ? `${what} in ${namespaces.join(', ')}` : `${what} everywhere`;
  });
  const groups = kubernetes_groups.length > 0 ? [`Groups ${kubernetes_groups.join(', ')}`] : [];
  const lines = [...policies, ...groups];
  return lines.length > 0 ? lines : ['Nothing by itself'];
}

/** Whether EKS still has what was granted here last. */
export function standing({ as_granted }: AccessView): string {
  return as_granted === null || as_granted === undefined ? '-' : as_granted ? 'Yes' : 'No, changed elsewhere';
}

/** The namespaces in which an entry grants something, each once. */
export function namespacesOf({ granted }: AccessView): string[] {
  return [...new Set(granted.flatMap(({ namespaces }) => namespaces ?? []))].sort();
}
