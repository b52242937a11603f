import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useListed } from '../../api/operations';
import type { Operation } from '../../api/schema';
import { OperationBar } from '../../components/operation-bar';
import { PageLink } from '../../components/page-link';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';
import { kindOf } from '../../components/words';

const SHOWN = 10;

/** What is being done, by whom, and how far it is. */
export function RunningOperations({ operations }: { operations: readonly Operation[] }) {
  if (operations.length === 0) {
    return null;
  }
  const more = operations.length - SHOWN;
  return (
    <Container header={<Header counter={`(${operations.length})`}>Running operations</Header>}>
      <SpaceBetween size="l">
        {operations.slice(0, SHOWN).map((operation) => (
          <RunningOperation key={operation.operation_id} listed={operation} />
        ))}
        {more > 0 && <Box>and {more} more</Box>}
      </SpaceBetween>
    </Container>
  );
}

function RunningOperation({ listed }: { listed: Operation }) {
  const operation = useListed(listed);
  const { operation_id, kind, cluster_tag, status, reason, actor, created_at } = operation;
  return (
    <div data-operation={operation_id}>
      <div className="stage-head">
        <PageLink to={`/operations/${operation_id}`}>
          {kindOf(kind)} {cluster_tag}
        </PageLink>
        <StatusBadge status={status} reason={reason} />
        <Box color="text-body-secondary" fontSize="body-s">
          <span className="value">{`${actor.id}, by ${actor.channel}`}</span>, <Time at={created_at} as="relative" />
        </Box>
      </div>
      {operation.stages.length > 0 && <OperationBar operation={operation} />}
    </div>
  );
}
