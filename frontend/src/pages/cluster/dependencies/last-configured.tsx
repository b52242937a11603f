import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useNavigate } from 'react-router';
import { useListed, useOperations } from '../../../api/operations';
import type { Operation } from '../../../api/schema';
import { EmptyState } from '../../../components/empty-state';
import { NotRead } from '../../../components/not-read';
import { OperationActions } from '../../../components/operation-actions';
import { OperationStage } from '../../../components/operation-stage';
import { PageLink } from '../../../components/page-link';
import { ProblemAlert } from '../../../components/problem-alert';
import { StatusBadge } from '../../../components/status-badge';
import { Time } from '../../../components/time';
import { kindOf } from '../../../components/words';
import { lastOf, stagesOf } from './configuring';

/** The operation that last had to do with the dependencies, with their stages. */
export function LastConfigured({ tag }: { tag: string }) {
  const operations = useOperations({ cluster_tag: tag });
  const last = lastOf(operations.items);
  if (last) {
    return <Configured listed={last} />;
  }
  if (operations.error) {
    return <NotRead problem={operations.error.problem} onRetry={operations.refresh} />;
  }
  if (operations.isPending) {
    return <Box>Reading the operations</Box>;
  }
  return (
    <EmptyState title="They were not configured lately">
      {operations.hasMore
        ? 'No operation among the newest ones did. The operations tab has the older ones.'
        : 'No operation that the ledger keeps has configured them.'}
    </EmptyState>
  );
}

function Configured({ listed }: { listed: Operation }) {
  const navigate = useNavigate();
  const operation = useListed(listed);
  const stages = stagesOf(operation);
  const { operation_id, kind, status, reason, created_at, error } = operation;
  return (
    <SpaceBetween size="m">
      <div className="stage-head">
        <span>Last by</span>
        <PageLink to={`/operations/${operation_id}`}>{kindOf(kind)}</PageLink>
        <StatusBadge status={status} reason={reason} />
        <Time at={created_at} as="relative" />
      </div>
      {status === 'FAILED' && error && <ProblemAlert problem={error} />}
      {status === 'FAILED' && (
        <OperationActions
          operation={operation}
          onRetried={(begun) => void navigate(`/operations/${begun.operation_id}`)}
        />
      )}
      {stages.length > 0 && (
        <ol className="stages">
          {stages.map((stage) => (
            <OperationStage key={stage.number} stage={stage} />
          ))}
        </ol>
      )}
    </SpaceBetween>
  );
}
