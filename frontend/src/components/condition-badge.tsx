import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { Condition } from '../api/schema';
import { lookOf } from './conditions';
import { sentence } from './words';

/** Whether a condition of a cluster holds, and why not. */
export function ConditionBadge({ condition }: { condition: Condition }) {
  const { type, status, message } = condition;
  return (
    <StatusIndicator type={lookOf(condition)} wrapText>
      <bdi className="value">{sentence(type)}</bdi>
      {status !== 'True' && message ? <span className="value">: {message}</span> : null}
    </StatusIndicator>
  );
}

const HOLDS: Readonly<Record<string, string>> = { True: 'Yes', False: 'No' };

/** Whether a condition holds, where its name and message stand beside it. */
export function ConditionStatus({ condition }: { condition: Condition }) {
  const { status } = condition;
  return <StatusIndicator type={lookOf(condition)}>{HOLDS[status] ?? sentence(status)}</StatusIndicator>;
}
