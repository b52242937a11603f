import ButtonDropdown, { type ButtonDropdownProps } from '@cloudscape-design/components/button-dropdown';
import { useNavigate } from 'react-router';
import { useBegin } from '../../api/changing';
import { useKubeconfig } from '../../api/kubeconfig';
import { useActiveCluster, useChooseActiveCluster } from '../../api/preferences';
import { ProblemError } from '../../api/problems';
import { wish } from '../../api/wishes';
import { useNotify } from '../../application/notifications';
import { hasHyperPod } from './overview/facts';
import { saveFile } from './save-file';
import { addressOf, type ClusterProps, CREATE_HYPERPOD } from './tab-list';

/** What can be done with a cluster as a whole. */
export function ClusterActions({ cluster }: ClusterProps) {
  const { tag, spec } = cluster;
  const navigate = useNavigate();
  const detect = useDetect(tag);
  const kubeconfig = useDownload(tag);
  const active = useMakeActive(tag);
  const here: Readonly<Record<string, () => void>> = { detect, kubeconfig, active: active.choose };
  return (
    <ButtonDropdown
      items={itemsOf(spec.origin === 'imported', hasHyperPod(cluster), active.isActive)}
      onItemClick={({ detail: { id } }) => (here[id] ? here[id]() : void navigate(addressOf(tag, id)))}
    >
      Actions
    </ButtonDropdown>
  );
}

function itemsOf(imported: boolean, withHyperPod: boolean, isActive: boolean): ButtonDropdownProps.Items {
  const ofImported = [
    { id: 'redetect', text: 'Redetect' },
    { id: 'forget', text: 'Forget' },
  ];
  return [
    { id: 'active', text: 'Make active cluster', disabled: isActive, disabledReason: 'You work with it already.' },
    { id: 'kubeconfig', text: 'Download kubeconfig' },
    { id: 'detect', text: 'Detect drift' },
    { id: 'repair', text: 'Repair' },
    { id: 'upgrade', text: 'Upgrade' },
    withHyperPod
      ? { id: 'delete-hyperpod', text: 'Delete HyperPod cluster' }
      : { id: CREATE_HYPERPOD, text: 'Create HyperPod cluster' },
    ...(imported ? ofImported : []),
    { id: 'delete', text: 'Delete' },
  ];
}

function useDetect(tag: string): () => void {
  const navigate = useNavigate();
  const failed = useFailed();
  const { beginning } = useBegin();
  const wanted = wish('post', '/api/clusters/{tag}/drift', { path: { tag } });
  return () => {
    beginning({ wish: wanted }).then(() => navigate(addressOf(tag, 'drift')), failed('Drift is not being detected'));
  };
}

function useDownload(tag: string): () => void {
  const failed = useFailed();
  const { mutateAsync } = useKubeconfig();
  return () => {
    mutateAsync(tag).then((text) => saveFile(`kubeconfig-${tag}.yaml`, text), failed('There is no kubeconfig'));
  };
}

function useMakeActive(tag: string): { isActive: boolean; choose: () => void } {
  const notify = useNotify();
  const failed = useFailed();
  const { data } = useActiveCluster();
  const { mutateAsync } = useChooseActiveCluster();
  const choose = () => {
    mutateAsync(tag).then(
      () => notify({ type: 'success', header: `You now work with ${tag}` }),
      failed('The active cluster is as it was'),
    );
  };
  return { isActive: data?.cluster_tag === tag, choose };
}

/** Tell why something that a menu began did not come about. */
function useFailed(): (header: string) => (thrown: unknown) => void {
  const notify = useNotify();
  return (header) => (thrown) => {
    if (!(thrown instanceof ProblemError)) {
      throw thrown;
    }
    const { detail, remedy } = thrown.problem;
    notify({ type: 'error', header, content: [detail, remedy].filter(Boolean).join(' ') });
  };
}
