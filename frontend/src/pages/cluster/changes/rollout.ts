import type { Rollout } from '../../../api/schema';
import type { Touched } from '../../../api/wishes';
import { listed, number, touched } from '../../../forms/sending';

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
  return touched<Touched<Rollout>>({ [of]: number(size), wait_seconds: number(wait), alarms: listed(alarms) });
}
