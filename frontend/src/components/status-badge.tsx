import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import { reasonOf, sentence } from './words';

const TYPES: Readonly<Record<string, StatusIndicatorProps.Type>> = {
  PENDING: 'pending',
  RUNNING: 'in-progress',
  CANCELLING: 'in-progress',
  SUCCEEDED: 'success',
  FAILED: 'error',
  CANCELLED: 'stopped',
  SKIPPED: 'success',
  READY: 'success',
  CHANGING: 'in-progress',
  DEGRADED: 'warning',
  UNKNOWN: 'not-started',
};

const LABELS: Readonly<Record<string, string>> = { SKIPPED: 'Stood already' };

interface Props {
  /** A status of an operation, a stage, a phase or a cluster; one of a newer API is shown as it is called. */
  status: string;
  reason?: string | null;
}

/** Where an operation, a stage or a cluster stands. */
export function StatusBadge({ status, reason }: Props) {
  const label = LABELS[status] ?? sentence(status);
  return (
    <StatusIndicator type={TYPES[status] ?? 'info'} wrapText>
      <span className="value">{reason ? `${label}, ${reasonOf(reason)}` : label}</span>
    </StatusIndicator>
  );
}
