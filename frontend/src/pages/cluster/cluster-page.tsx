import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useParams } from 'react-router';
import { useCluster } from '../../api/clusters';
import { PageFrame } from '../../application/page-frame';
import { NotRead } from '../../components/not-read';
import { useLive } from '../../live/live-context';
import { ClusterMissing } from './cluster-missing';
import { ClusterShown } from './cluster-shown';
import { ClusterUnread } from './cluster-unread';

/** One cluster: how it stands, what is being done to it, and all that is known of it. */
export function Component() {
  const { tag = '', tab } = useParams();
  return <ClusterOf key={tag} tag={tag} tab={tab} />;
}

function ClusterOf({ tag, tab }: { tag: string; tab: string | undefined }) {
  useLive({ cluster_tag: tag });
  const { data: cluster, error, refetch } = useCluster(tag);
  if (error?.problem.status === 404) {
    return <ClusterMissing tag={tag} wasHere={cluster !== undefined} />;
  }
  if (cluster) {
    return (
      <SpaceBetween size="m">
        {error && <NotRead problem={error.problem} onRetry={() => void refetch()} />}
        <ClusterShown cluster={cluster} tab={tab ?? 'overview'} />
      </SpaceBetween>
    );
  }
  if (error) {
    return <ClusterUnread tag={tag} problem={error.problem} onRetry={() => void refetch()} />;
  }
  return (
    <PageFrame title={tag} above={[]}>
      <Box textAlign="center" padding="xxl">
        <Spinner /> Reading the cluster
      </Box>
    </PageFrame>
  );
}
