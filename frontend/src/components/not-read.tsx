import Button from '@cloudscape-design/components/button';
import type { ProblemBody } from '../api/schema';
import { ProblemAlert } from './problem-alert';

interface Props {
  problem: ProblemBody;
  onRetry: () => void;
}

/** Why something could not be read, or not anew, with the way to try again. */
export function NotRead({ problem, onRetry }: Props) {
  return (
    <ProblemAlert
      problem={problem}
      action={
        <Button formAction="none" onClick={onRetry}>
          Try again
        </Button>
      }
    />
  );
}
