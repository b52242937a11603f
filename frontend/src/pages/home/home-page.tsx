import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useNavigate } from 'react-router';
import { useClusters } from '../../api/clusters';
import { SOON } from '../../api/listings';
import { useOperations, useUnfinished } from '../../api/operations';
import { PageFrame } from '../../application/page-frame';
import { useLive } from '../../live/live-context';
import type { Topic } from '../../live/messages';
import { ClustersTable } from './clusters-table';
import { RecentProblems } from './recent-problems';
import { RunningOperations } from './running-operations';

// A connection carries twenty topics; what is of other clusters is read again every so often.
const WATCHED = 15;

/** Clusters at a glance, what is being done, and what went wrong. */
export function HomePage() {
  const navigate = useNavigate();
  const clusters = useClusters({}, SOON);
  const operations = useOperations({}, SOON);
  const watched: Topic[] = clusters.items.slice(0, WATCHED).map(({ tag }) => ({ cluster_tag: tag }));
  useLive({ mine: true }, ...watched);
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
