import { useNavigate, useParams } from 'react-router';
import { useOperation } from '../../api/operations';
import { PageFrame } from '../../application/page-frame';
import { OperationProgress } from '../../components/operation-progress';
import { kindOf } from '../../components/words';
import { OperationFacts } from './operation-facts';
import { OperationTrail } from './operation-trail';

/** One operation, by an address that can be sent to others. */
export function Component() {
  const { operationId = '' } = useParams();
  const navigate = useNavigate();
  const { data: operation } = useOperation(operationId);
  return (
    <PageFrame
      title={operation ? `${kindOf(operation.kind)} ${operation.cluster_tag}` : `Operation ${operationId}`}
      above={[]}
    >
      <OperationProgress
        key={operationId}
        operationId={operationId}
        onRetried={({ operation_id }) => void navigate(`/operations/${operation_id}`)}
      />
      {operation && <OperationFacts operation={operation} />}
      {operation && <OperationTrail operationId={operationId} />}
    </PageFrame>
  );
}
