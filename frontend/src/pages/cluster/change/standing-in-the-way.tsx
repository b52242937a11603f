import Button from '@cloudscape-design/components/button';
import { useNavigate } from 'react-router';
import type { ProblemBody } from '../../../api/schema';
import { ProblemAlert } from '../../../components/problem-alert';

/** Why a change cannot be made, with the way to the operation that holds it up where one does. */
export function StandingInTheWay({ problem }: { problem: ProblemBody }) {
  const navigate = useNavigate();
  const { operation_id } = problem;
  const action = operation_id ? (
    <Button onClick={() => void navigate(`/operations/${operation_id}`)}>Show the operation</Button>
  ) : undefined;
  return (
    <div role="alert">
      <ProblemAlert problem={problem} action={action} />
    </div>
  );
}
