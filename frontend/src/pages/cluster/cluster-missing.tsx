import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import { useNavigate } from 'react-router';
import { useOperations } from '../../api/operations';
import { PageFrame } from '../../application/page-frame';
import { EmptyState } from '../../components/empty-state';
import { PageLink } from '../../components/page-link';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';
import { kindOf } from '../../components/words';

interface Props {
  tag: string;
  /** Whether it stood when the page was opened. */
  wasHere: boolean;
}

/** What stands where there is no cluster, or no longer one: what became of it, and the ways on. */
export function ClusterMissing({ tag, wasHere }: Props) {
  const navigate = useNavigate();
  return (
    <PageFrame title={tag} above={[]}>
      <Container>
        <EmptyState
          title={wasHere ? 'This cluster is gone' : 'There is no such cluster'}
          action={
            <>
              <Button variant="primary" onClick={() => void navigate('/')}>
                See all clusters
              </Button>{' '}
              <Button onClick={() => void navigate('/create')}>Create a cluster</Button>
            </>
          }
        >
          <span role="status">
            {wasHere
              ? 'It was deleted or forgotten while you looked at it.'
              : 'No cluster has this tag. It was deleted or forgotten, or the tag is misspelt.'}
          </span>
        </EmptyState>
        <LastDone tag={tag} />
      </Container>
    </PageFrame>
  );
}

/** The newest operation that the ledger keeps under a tag: operations outlive their cluster. */
function LastDone({ tag }: { tag: string }) {
  const [last] = useOperations({ cluster_tag: tag }).items;
  if (last === undefined) {
    return null;
  }
  return (
    <Box textAlign="center">
      Last done under this tag:{' '}
      <PageLink to={`/operations/${last.operation_id}`}>
        {kindOf(last.kind)} {last.cluster_tag}
      </PageLink>{' '}
      <StatusBadge status={last.status} reason={last.reason} /> <Time at={last.finished_at ?? last.created_at} />
    </Box>
  );
}
