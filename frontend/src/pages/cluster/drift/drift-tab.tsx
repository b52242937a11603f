import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useNavigate } from 'react-router';
import { useBegin } from '../../../api/changing';
import { useDrift } from '../../../api/cluster-parts';
import { wish } from '../../../api/wishes';
import { EmptyState } from '../../../components/empty-state';
import { NotRead } from '../../../components/not-read';
import { Actions } from '../../../components/paged-table';
import { StandingInTheWay } from '../change/standing-in-the-way';
import { addressOf, type ClusterProps } from '../tab-list';
import { DriftReportShown } from './drift-report';

/** What of a cluster is no longer as it was made. */
export default function DriftTab({ cluster }: ClusterProps) {
  const { tag } = cluster;
  const detection = useBegin();
  const detect = () => detection.begin({ wish: wish('post', '/api/clusters/{tag}/drift', { path: { tag } }) });
  return (
    <SpaceBetween size="l">
      {detection.error && <StandingInTheWay problem={detection.error.problem} />}
      <Report cluster={cluster} actions={<Asking tag={tag} busy={detection.isPending} onDetect={detect} />} />
    </SpaceBetween>
  );
}

function Asking({ tag, busy, onDetect }: { tag: string; busy: boolean; onDetect: () => void }) {
  const navigate = useNavigate();
  return (
    <Actions>
      <Button loading={busy} onClick={onDetect}>
        Detect now
      </Button>
      <Button onClick={() => void navigate(addressOf(tag, 'repair'))}>Repair</Button>
    </Actions>
  );
}

function Report({ cluster, actions }: ClusterProps & { actions: React.ReactNode }) {
  const wasDetected = Boolean(cluster.drift_detected_at);
  const { data, error, refetch } = useDrift(cluster);
  if (wasDetected && data) {
    return <DriftReportShown report={data} actions={actions} />;
  }
  return (
    <Container header={<Header actions={actions}>Drift</Header>}>
      {!wasDetected && (
        <EmptyState title="Drift was never detected">
          A detection compares what AWS and Kubernetes have with what was made here. It changes nothing.
        </EmptyState>
      )}
      {wasDetected && error === null && (
        <>
          <Spinner /> Reading the report
        </>
      )}
      {wasDetected && error && <NotRead problem={error.problem} onRetry={() => void refetch()} />}
    </Container>
  );
}
