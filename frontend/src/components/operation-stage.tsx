import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { Stage } from '../api/schema';
import { CopyableValue } from './copyable-value';
import { Duration } from './duration';
import { spoken } from './durations';
import { StatusBadge } from './status-badge';

const FEW = 5;

/** One stage: where it stands, what it says and made; why it failed in full is told once, of the operation. */
export function OperationStage({ stage }: { stage: Stage }) {
  const { title, status, reason, message, error, started_at, finished_at, attempt } = stage;
  return (
    <li data-stage={stage.name} data-status={status}>
      <div className="stage-head">
        <span className="value">{title}</span>
        <StatusBadge status={status} reason={reason} />
        {started_at && (
          <Box color="text-body-secondary" fontSize="body-s">
            <Duration from={started_at} to={finished_at} />, usually {spoken(stage.expected_seconds)}
            {attempt > 1 && `, attempt ${attempt}`}
          </Box>
        )}
      </div>
      <SpaceBetween size="xxs">
        {message && <div className="value">{message}</div>}
        {error && <div className="value">{error.detail}</div>}
        <Resources resources={stage.resources ?? []} />
      </SpaceBetween>
    </li>
  );
}

function Resources({ resources }: { resources: readonly string[] }) {
  const more = resources.length - FEW;
  return (
    <>
      {resources.slice(0, FEW).map((resource) => (
        <Box key={resource} fontSize="body-s">
          <CopyableValue value={resource} />
        </Box>
      ))}
      {more > 0 && <Box fontSize="body-s">and {more} more</Box>}
    </>
  );
}
