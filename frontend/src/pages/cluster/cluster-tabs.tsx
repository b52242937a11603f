import { PageTabs } from '../../components/page-tabs';
import { addressOf, type ClusterProps, TABS } from './tab-list';

/** The tabs of a cluster. */
export function ClusterTabs({ cluster, tab }: ClusterProps & { tab: string }) {
  const tabs = TABS.map(({ id, label, Content }) => ({
    id,
    label,
    href: addressOf(cluster.tag, id),
    content: <Content cluster={cluster} />,
  }));
  return <PageTabs label="What is known of the cluster" tabs={tabs} active={tab} />;
}
