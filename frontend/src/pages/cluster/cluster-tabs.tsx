import Button from '@cloudscape-design/components/button';
import Tabs from '@cloudscape-design/components/tabs';
import { useNavigate } from 'react-router';
import { EmptyState } from '../../components/empty-state';
import { Loaded } from './loaded';
import { addressOf, type ClusterProps, TABS } from './tab-list';

/** The tabs of a cluster; each has an address of its own. */
export function ClusterTabs({ cluster, tab }: ClusterProps & { tab: string }) {
  const navigate = useNavigate();
  const { tag } = cluster;
  if (!TABS.some(({ id }) => id === tab)) {
    return (
      <EmptyState
        title="A cluster has no such tab"
        action={<Button onClick={() => void navigate(addressOf(tag))}>Show the overview</Button>}
      >
        <span className="value">{tab}</span> may be of a newer release, or misspelt.
      </EmptyState>
    );
  }
  return (
    <Tabs
      activeTabId={tab}
      onChange={({ detail }) => void navigate(addressOf(tag, detail.activeTabId))}
      ariaLabel="What is known of the cluster"
      i18nStrings={{ scrollLeftAriaLabel: 'Show earlier tabs', scrollRightAriaLabel: 'Show later tabs' }}
      tabs={TABS.map(({ id, label, Content }) => ({
        id,
        label,
        content: id === tab && (
          <Loaded name={label}>
            <Content cluster={cluster} />
          </Loaded>
        ),
      }))}
    />
  );
}
