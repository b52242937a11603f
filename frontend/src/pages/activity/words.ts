import type { Channel, OperationStatus } from '../../api/schema';
import { sentence } from '../../components/words';

const CHANNELS: Readonly<Record<Channel, string>> = { console: 'Console', rest: 'REST', agent: 'Agent' };

const STATUSES: Readonly<Record<OperationStatus, true>> = {
  PENDING: true,
  RUNNING: true,
  CANCELLING: true,
  SUCCEEDED: true,
  FAILED: true,
  CANCELLED: true,
};

/** Through which door somebody came; one of a newer API is told in its own words. */
export function channelOf(channel: string): string {
  return Object.hasOwn(CHANNELS, channel) ? CHANNELS[channel as Channel] : sentence(channel);
}

export const channelOptions = Object.entries(CHANNELS).map(([value, label]) => ({ value, label }));

export const statusOptions = Object.keys(STATUSES).map((value) => ({ value, label: sentence(value) }));
