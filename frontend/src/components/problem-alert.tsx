import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import type { Complaint } from '../api/problems';
import type { Cause, ProblemBody } from '../api/schema';
import { Complaints } from './complaints';
import { CopyableValue } from './copyable-value';
import { Remedy } from './with-remedy';
import { sentence } from './words';

interface Props {
  problem: ProblemBody;
  /** What a person can do about it here. */
  action?: ReactNode;
  /** Complaints that no field of the page shows; all of the problem's where it is left out. */
  complaints?: readonly Complaint[];
}

/** What went wrong, why, and what helps. */
export function ProblemAlert({ problem, action, complaints = problem.errors ?? [] }: Props) {
  const { title, detail, remedy, cause, request_id } = problem;
  return (
    <Alert type="error" header={title} action={action}>
      <SpaceBetween size="xs">
        <div className="value">{detail}</div>
        <Complaints complaints={complaints} remedy={remedy} />
        {cause && <div className="value">Cause: {causeOf(cause)}</div>}
        <Remedy remedy={remedy} />
        {request_id && (
          <Box fontSize="body-s" color="text-status-inactive">
            Request <CopyableValue value={request_id} />
          </Box>
        )}
      </SpaceBetween>
    </Alert>
  );
}

/** The first real cause in one line: who refused which call on what. */
function causeOf({ layer, service, api_call, code, resource, request_id }: Cause): string {
  const call = [service, api_call].filter(Boolean).join(' ');
  const parts = [
    sentence(layer ?? ''),
    call,
    code,
    resource && `on ${resource}`,
    request_id && `request ${request_id}`,
  ];
  return parts.filter(Boolean).join(', ');
}
