import Container from '@cloudscape-design/components/container';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useListed } from '../../api/operations';
import type { Operation } from '../../api/schema';
import { OperationBar } from '../../components/operation-bar';
import { PageLink } from '../../components/page-link';
import { StatusBadge } from '../../components/status-badge';
import { kindOf } from '../../components/words';

const SHOWN = 5;

/** What is being done to a cluster, as it proceeds; a deletion says what it means for the page. */
export function RunningStrip({ operations }: { operations: readonly Operation[] }) {
  if (operations.length === 0) {
    return null;
  }
  return (
    <Container>
      <SpaceBetween size="m">
        {operations.slice(0, SHOWN).map((operation) => (
          <Running key={operation.operation_id} listed={operation} />
        ))}
        {operations.length > SHOWN && <div>and {operations.length - SHOWN} more</div>}
      </SpaceBetween>
    </Container>
  );
}

const MEANINGS: Readonly<Record<string, string>> = {
  delete_cluster: 'This cluster is being deleted. What is shown here goes with it.',
  forget_cluster: 'This cluster is being forgotten. It stays in AWS, and goes from this console.',
  delete_hyperpod: 'The HyperPod cluster is being deleted. The rest of this cluster stays.',
};

function Running({ listed }: { listed: Operation }) {
  const operation = useListed(listed);
  const { operation_id, kind, status, reason, actor } = operation;
  return (
    <div data-operation={operation_id}>
      <div className="stage-head">
        <PageLink to={`/operations/${operation_id}`}>{kindOf(kind)}</PageLink>
        <StatusBadge status={status} reason={reason} />
        <span className="value">{`${actor.id}, by ${actor.channel}`}</span>
      </div>
      {MEANINGS[kind] && <div>{MEANINGS[kind]}</div>}
      {operation.stages && operation.stages.length > 0 && <OperationBar operation={operation} />}
    </div>
  );
}
