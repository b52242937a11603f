import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { ConditionBadge } from '../../components/condition-badge';
import { Time } from '../../components/time';
import type { ClusterProps } from './tab-list';

/** Whether a side of a cluster stands, by its condition, for the description of a header. */
export function SideOfCluster({ cluster, type }: ClusterProps & { type: string }) {
  const condition = cluster.conditions.find((each) => each.type === type);
  if (condition === undefined) {
    return <StatusIndicator type="not-started">Nothing is known of it yet</StatusIndicator>;
  }
  return (
    <div className="stage-head">
      <ConditionBadge condition={condition} />
      <span>
        since <Time at={condition.since} />
      </span>
    </div>
  );
}
