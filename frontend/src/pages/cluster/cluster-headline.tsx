import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import { useActiveCluster } from '../../api/preferences';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';
import { sentence } from '../../components/words';
import { OperationWords } from './operation-words';
import type { ClusterProps } from './tab-list';

/** How a cluster stands and why, where it is, and where it comes from. */
export function ClusterHeadline({ cluster: { tag, spec, summary } }: ClusterProps) {
  const { data: active } = useActiveCluster();
  return (
    <Box>
      <div className="stage-head" data-status={summary.status}>
        <StatusBadge status={summary.status} />
        <span>
          {sentence(summary.reason)}: <OperationWords text={summary.message} />
        </span>
        {summary.since && (
          <span>
            since <Time at={summary.since} />
          </span>
        )}
      </div>
      <div className="stage-head">
        <span>{spec.region}</span>
        <span>{sentence(spec.origin ?? 'created')}</span>
        {active?.cluster_tag === tag && <Badge color="blue">Active cluster</Badge>}
      </div>
    </Box>
  );
}
