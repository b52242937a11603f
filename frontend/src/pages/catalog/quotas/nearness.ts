import type { QuotaView } from '../../../api/schema';

/** How much of a quota is in use, from 0 to 1 and above; null where that is not known. */
export function shareOf({ value, used }: QuotaView): number | null {
  if (value === null || used === null) {
    return null;
  }
  return value > 0 ? used / value : 1;
}

/** Order quotas by how near they are to their limit; those of which that is not known stand last, in their order. */
export function nearestFirst(quotas: readonly QuotaView[]): QuotaView[] {
  return [...quotas].sort((one, other) => (shareOf(other) ?? -1) - (shareOf(one) ?? -1));
}

/** The command that asks AWS for more of a quota. */
export function increase(quota: { service: string; code: string }, desired: number, region: string): string {
  return [
    'aws service-quotas request-service-quota-increase',
    `--service-code ${quota.service}`,
    `--quota-code ${quota.code}`,
    `--desired-value ${desired}`,
    `--region ${region}`,
  ].join(' ');
}
