import { useOperations, useUnfinished } from '../../api/operations';
import { PageFrame } from '../../application/page-frame';
import { Loaded } from '../../components/loaded';
import { ClusterActions } from './cluster-actions';
import { ClusterHeadline } from './cluster-headline';
import { ClusterTabs } from './cluster-tabs';
import { RunningStrip } from './running-strip';
import { addressOf, CHANGES, type ClusterProps } from './tab-list';

/** A cluster that stands: headline, what is being done to it, and its tabs or a change of it. */
export function ClusterShown({ cluster, tab }: ClusterProps & { tab: string }) {
  const { tag } = cluster;
  const operations = useOperations({ cluster_tag: tag });
  const running = useUnfinished(operations, cluster.active_operation_ids ?? []);
  const changing = CHANGES.find(({ id }) => id === tab);
  if (changing) {
    return (
      <PageFrame title={`${changing.label} ${tag}`} above={[{ text: tag, href: addressOf(tag) }]}>
        <RunningStrip operations={running} />
        <Loaded name={changing.label}>
          <changing.Content cluster={cluster} />
        </Loaded>
      </PageFrame>
    );
  }
  return (
    <PageFrame
      title={tag}
      above={[]}
      description={<ClusterHeadline cluster={cluster} />}
      actions={<ClusterActions cluster={cluster} />}
    >
      <RunningStrip operations={running} />
      <ClusterTabs cluster={cluster} tab={tab} />
    </PageFrame>
  );
}
