import { wish } from '../../../api/wishes';
import { ChangePanel } from '../change/change-panel';
import type { ClusterProps } from '../tab-list';

/** Deletes the HyperPod cluster alone. */
export default function DeleteHyperpodChange({ cluster: { tag } }: ClusterProps) {
  return (
    <ChangePanel
      tag={tag}
      title="Delete the HyperPod cluster"
      description="Its instances end. The EKS cluster and the rest stay, and another HyperPod cluster can be created."
      action="Delete HyperPod cluster"
      destroys
      wanted={wish('delete', '/api/clusters/{tag}/hyperpod', { path: { tag } })}
    />
  );
}
