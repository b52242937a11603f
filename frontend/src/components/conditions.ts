import type { StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { Condition } from '../api/schema';

// Why a condition does not hold though nothing is wrong: what it speaks of was taken away, or never was there.
const ON_PURPOSE: ReadonlySet<string> = new Set(['Removed', 'Absent']);

const TYPES: Readonly<Record<string, StatusIndicatorProps.Type>> = { True: 'success', False: 'warning' };

/** Whether a condition does not hold for a reason that is nobody's fault. */
export function isOnPurpose({ status, reason }: Pick<Condition, 'status' | 'reason'>): boolean {
  return status === 'False' && ON_PURPOSE.has(reason ?? '');
}

/** How a condition looks. */
export function lookOf(condition: Pick<Condition, 'status' | 'reason'>): StatusIndicatorProps.Type {
  return isOnPurpose(condition) ? 'stopped' : (TYPES[condition.status] ?? 'not-started');
}
