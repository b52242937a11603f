import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useOperation } from '../api/operations';
import { findingsOf } from '../api/results';
import type { Operation } from '../api/schema';
import { useLive } from '../live/live-context';
import { Findings } from './findings';
import { NotRead } from './not-read';
import { OperationActions } from './operation-actions';
import { OperationBar } from './operation-bar';
import { OperationPhases } from './operation-phases';
import { PageLink } from './page-link';
import { ProblemAlert } from './problem-alert';
import { StatusBadge } from './status-badge';

interface Props {
  operationId: string;
  /** Told of the operation that a retry begins. */
  onRetried?: (operation: Operation) => void;
}

/** An operation as it proceeds, live: phases, stages, what they say, why one failed and what helps; Retry and Cancel. */
export function OperationProgress({ operationId, onRetried }: Props) {
  useLive({ operation_id: operationId });
  const { data: operation, error, refetch } = useOperation(operationId);
  if (operation) {
    return <Progress operation={operation} onRetried={onRetried} />;
  }
  if (error) {
    return <NotRead problem={error.problem} onRetry={() => void refetch()} />;
  }
  return (
    <Box textAlign="center" padding="l">
      <Spinner /> Reading the operation
    </Box>
  );
}

function Progress({ operation, onRetried }: { operation: Operation; onRetried: Props['onRetried'] }) {
  const noticed = findingsOf(operation);
  return (
    <Container
      header={
        <Header
          variant="h2"
          description={<StatusBadge status={operation.status} reason={operation.reason} />}
          actions={<OperationActions operation={operation} onRetried={onRetried} />}
        >
          Progress
        </Header>
      }
    >
      <SpaceBetween size="l">
        <OperationBar operation={operation} />
        {operation.error && <ProblemAlert problem={operation.error} />}
        {operation.retry_of && (
          <Box>
            Goes on from <PageLink to={`/operations/${operation.retry_of}`}>{operation.retry_of}</PageLink>
          </Box>
        )}
        <OperationPhases operation={operation} />
        {noticed.length > 0 && <Findings findings={noticed} />}
      </SpaceBetween>
    </Container>
  );
}
