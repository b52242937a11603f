import ProgressBar, { type ProgressBarProps } from '@cloudscape-design/components/progress-bar';
import { hasEnded } from '../api/operations';
import type { Operation } from '../api/schema';
import { spoken } from './durations';
import { progressOf } from './progress';
import { useNow } from './use-now';

const EVERY_SECOND = 1_000;
const STATUSES: Readonly<Record<string, ProgressBarProps.Status>> = { SUCCEEDED: 'success', FAILED: 'error' };

/** How far an operation is: stages that stand, what the running one says, what is left by what stages usually take. */
export function OperationBar({ operation }: { operation: Operation }) {
  const ended = hasEnded(operation);
  const now = useNow(ended ? null : EVERY_SECOND);
  const { standing, total, running, secondsLeft, percent } = progressOf(operation, now);
  // A bar has no look of its own for an operation that was cancelled, and tells no result of it.
  const status = STATUSES[operation.status] ?? 'in-progress';
  const left = ended || secondsLeft === 0 ? '' : `, usually ${spoken(secondsLeft)} more`;
  return (
    <ProgressBar
      value={percent}
      status={status}
      resultText={`${standing} of ${total} stages stand`}
      label={running ? <span className="value">{running.title}</span> : 'Stages'}
      description={running?.message ? <span className="value">{running.message}</span> : undefined}
      additionalInfo={status !== 'in-progress' ? undefined : `${standing} of ${total} stages stand${left}`}
    />
  );
}
