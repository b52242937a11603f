import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { Operation } from '../../api/schema';
import { Complaints } from '../../components/complaints';
import { PageLink } from '../../components/page-link';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';
import { WithRemedy } from '../../components/with-remedy';
import { kindOf } from '../../components/words';
import { unsolved } from './unsolved';

const SHOWN = 5;
const COMPLAINTS_SHOWN = 3;

/** What went wrong lately and was not put right since, with what helps. */
export function RecentProblems({ operations }: { operations: readonly Operation[] }) {
  const failed = unsolved(operations).slice(0, SHOWN);
  if (failed.length === 0) {
    return null;
  }
  return (
    <Container header={<Header>Recent problems</Header>}>
      <SpaceBetween size="m">
        {failed.map((operation) => (
          <RecentProblem key={operation.operation_id} operation={operation} />
        ))}
      </SpaceBetween>
    </Container>
  );
}

function RecentProblem({ operation }: { operation: Operation }) {
  const { operation_id, kind, cluster_tag, status, finished_at, error } = operation;
  return (
    <div>
      <div className="stage-head">
        <StatusBadge status={status} />
        <PageLink to={`/operations/${operation_id}`}>
          {kindOf(kind)} {cluster_tag}
        </PageLink>
        <Box color="text-body-secondary" fontSize="body-s">
          <Time at={finished_at} as="relative" />
        </Box>
      </div>
      {error && (
        <WithRemedy remedy={error.remedy}>
          {error.detail}
          <Complaints complaints={error.errors ?? []} remedy={error.remedy} most={COMPLAINTS_SHOWN} />
        </WithRemedy>
      )}
    </div>
  );
}
