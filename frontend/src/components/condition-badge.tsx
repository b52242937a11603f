import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { Condition } from '../api/schema';
import { sentence } from './words';

const TYPES: Readonly<Record<string, StatusIndicatorProps.Type>> = { True: 'success', False: 'warning' };

/** Whether a condition of a cluster holds, and why not. */
export function ConditionBadge({ condition }: { condition: Condition }) {
  const { type, status, message } = condition;
  return (
    <StatusIndicator type={TYPES[status] ?? 'not-started'} wrapText>
      <bdi>{sentence(type)}</bdi>
      {status !== 'True' && message ? <span className="value">: {message}</span> : null}
    </StatusIndicator>
  );
}

const HOLDS: Readonly<Record<string, string>> = { True: 'Yes', False: 'No' };

/** Whether a condition holds, where its name and message stand beside it. */
export function ConditionStatus({ condition: { status } }: { condition: Condition }) {
  return <StatusIndicator type={TYPES[status] ?? 'not-started'}>{HOLDS[status] ?? sentence(status)}</StatusIndicator>;
}
