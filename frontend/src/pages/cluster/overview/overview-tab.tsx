import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ClusterProps } from '../tab-list';
import { Commands } from './commands-section';
import { Conditions } from './conditions-section';
import { Desired } from './desired-section';
import { FoundSection } from './found-section';
import { Identities } from './identities-section';
import { SettingsSection } from './settings-section';

/** What holds of a cluster, what it consists of, and what is said about it. */
export default function OverviewTab({ cluster }: ClusterProps) {
  return (
    <SpaceBetween size="l">
      <Conditions cluster={cluster} />
      <Identities cluster={cluster} />
      <Desired cluster={cluster} />
      <SettingsSection cluster={cluster} />
      {cluster.detected && <FoundSection detected={cluster.detected} />}
      <Commands cluster={cluster} />
    </SpaceBetween>
  );
}
