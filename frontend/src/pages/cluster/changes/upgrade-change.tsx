import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { UpgradeCluster } from '../../../api/schema';
import { type Touched, wish } from '../../../api/wishes';
import { Section } from '../../../forms/section';
import { ChangePanel } from '../change/change-panel';
import type { ClusterProps } from '../tab-list';
import { ConflictsField } from './conflicts-field';
import { RolloutFields } from './rollout-fields';
import { VersionField } from './version-field';

const ROLLOUT = [
  'addon_conflicts',
  'rollout.batch_size',
  'rollout.batch_percentage',
  'rollout.wait_seconds',
  'rollout.alarms',
  'rollout',
];
const FIELDS = ['kubernetes_version', ...ROLLOUT];

/** Moves a cluster to another Kubernetes version: control plane, add-ons, nodes. */
export default function UpgradeChange({ cluster: { tag } }: ClusterProps) {
  const [touched, setTouched] = useState<Touched<UpgradeCluster>>({});
  const touch = (fields: Touched<UpgradeCluster>) => setTouched((known) => ({ ...known, ...fields }));
  return (
    <ChangePanel
      tag={tag}
      title="Upgrade this cluster"
      description="The control plane first, then the add-ons, then the nodes, some at a time."
      action="Upgrade"
      wanted={wish('post', '/api/clusters/{tag}/upgrade', { path: { tag }, body: touched })}
      fields={FIELDS}
    >
      <SpaceBetween size="m">
        <VersionField
          value={touched.kubernetes_version ?? null}
          onChange={(kubernetes_version) => touch({ kubernetes_version })}
        />
        <Section title="How it is rolled out" fields={ROLLOUT}>
          <SpaceBetween size="m">
            <ConflictsField
              value={touched.addon_conflicts}
              onChange={(addon_conflicts) => touch({ addon_conflicts })}
            />
            <RolloutFields onChange={(rollout) => touch({ rollout })} />
          </SpaceBetween>
        </Section>
      </SpaceBetween>
    </ChangePanel>
  );
}
