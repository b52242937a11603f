import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useNavigate } from 'react-router';
import { useClusters } from '../../api/clusters';
import { SOON } from '../../api/listings';
import { useOperations, useUnfinished } from '../../api/operations';
import { PageFrame } from '../../application/page-frame';
import { useLive } from '../../live/live-context';
import { ClustersTable } from './clusters-table';
import { RecentProblems } from './recent-problems';
import { RunningOperations } from './running-operations';

/** Clusters at a glance, what is being done, and what went wrong. */
export function HomePage() {
  const navigate = useNavigate();
  const clusters = useClusters({}, SOON);
  const operations = useOperations({}, SOON);
  useLive({ all: true });
  const running = useUnfinished(
    operations,
    clusters.items.flatMap(({ active_operation_ids }) => active_operation_ids ?? []),
  );
  return (
    <PageFrame
      title="Home"
      description="Clusters at a glance, what is being done, and what went wrong."
      actions={
        <SpaceBetween direction="horizontal" size="xs">
          <Button onClick={() => void navigate('/import')}>Import a cluster</Button>
          <Button variant="primary" onClick={() => void navigate('/create')}>
            Create a cluster
          </Button>
        </SpaceBetween>
      }
    >
      <ClustersTable clusters={clusters} />
      <RunningOperations operations={running} />
      <RecentProblems operations={operations.items} />
    </PageFrame>
  );
}
