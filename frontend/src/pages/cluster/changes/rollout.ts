import type { Rollout } from '../../../api/schema';
import type { Touched } from '../../../api/wishes';
import { listed } from '../../../forms/sending';

/** What a person typed about a rollout. */
export interface RolloutTexts {
  size: string;
  of: 'batch_size' | 'batch_percentage';
  wait: string;
  alarms: string;
}

export const UNTOUCHED: RolloutTexts = { size: '', of: 'batch_percentage', wait: '', alarms: '' };

/** The part of a rollout that was touched; undefined where nothing was, so that the API's own holds. */
export function rolloutOf({ size, of, wait, alarms }: RolloutTexts): Touched<Rollout> | undefined {
  const named = listed(alarms);
  const touched: Touched<Rollout> = {
    ...(size.trim() !== '' && { [of]: Number(size) }),
    ...(wait.trim() !== '' && { wait_seconds: Number(wait) }),
    ...(named && { alarms: named }),
  };
  return Object.keys(touched).length > 0 ? touched : undefined;
}
