import ProgressBar from '@cloudscape-design/components/progress-bar';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { QuotaView } from '../../../api/schema';
import { NotSaid } from '../../../components/unknowns';
import { shareOf } from './nearness';

const NEAR = 0.8;

/** How much of a quota is in use; without a bar where AWS did not say it. */
export function UseBar({ quota }: { quota: QuotaView }) {
  const share = shareOf(quota);
  const told = (
    <>
      {quota.used ?? <NotSaid />} of {quota.value ?? <NotSaid />}
    </>
  );
  if (share === null) {
    return told;
  }
  return (
    <>
      <ProgressBar value={Math.min(100, Math.round(100 * share))} ariaLabel={`In use of ${quota.name}`} />
      {share >= NEAR ? <StatusIndicator type={share >= 1 ? 'error' : 'warning'}>{told}</StatusIndicator> : told}
    </>
  );
}
