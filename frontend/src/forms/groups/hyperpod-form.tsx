import Button from '@cloudscape-design/components/button';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { HyperPod } from '../../api/schema';
import { bound } from '../bound';
import { DEFAULTS } from '../defaults';
import { ChosenField, TextField } from '../fields';
import { Section } from '../section';
import { type GroupDraft, newGroup, typesOf } from './draft';
import { below, groupPlace } from './group-fields';
import { GroupForm } from './group-form';
import type { HyperPodDraft } from './hyperpod-draft';
import { SystemGroupForm } from './system-group-form';
import { ZoneField } from './zone-field';

export interface HyperPodProps {
  draft: HyperPodDraft;
  /** Where the HyperPod cluster stands in the request; empty where it is the request. */
  at: string;
  onChange: (draft: HyperPodDraft) => void;
}

const SHORTAGES: readonly { value: HyperPod['on_shortage']; label: string; description: string }[] = [
  { value: 'wait', label: 'Wait for it', description: 'The operation goes on until the instances are there' },
  { value: 'fail', label: 'Fail', description: 'The operation ends at once, and says what is lacking' },
  { value: 'alternatives', label: 'Fail with alternatives', description: 'It also says what is to be had instead' },
];

const RECOVERIES: readonly { value: HyperPod['node_recovery']; label: string; description: string }[] = [
  { value: 'automatic', label: 'Automatic', description: 'HyperPod reboots or replaces faulty nodes' },
  { value: 'none', label: 'None', description: 'Faulty nodes are marked, and left as they are' },
];

/** The HyperPod cluster of a request: its zone, its groups, and what else may be said of it. */
export function HyperPodForm({ draft, at, onChange }: HyperPodProps) {
  const of = bound(draft, (changed) => onChange({ ...draft, ...changed }), at);
  const change = (id: number, changed: Partial<GroupDraft>) =>
    onChange({ ...draft, groups: draft.groups.map((group) => (group.id === id ? { ...group, ...changed } : group)) });
  const remove = (id: number) => onChange({ ...draft, groups: draft.groups.filter((group) => group.id !== id) });
  return (
    <SpaceBetween size="l">
      <ZoneField {...of('availability_zone')} label="Availability zone" types={draft.groups.flatMap(typesOf)} />
      {draft.groups.map((group, index) => (
        <GroupForm
          key={group.id}
          group={group}
          place={groupPlace(at, index)}
          zone={draft.availability_zone}
          onChange={(changed) => change(group.id, changed)}
          onRemove={draft.groups.length > 1 ? () => remove(group.id) : undefined}
        />
      ))}
      <Button
        iconName="add-plus"
        formAction="none"
        onClick={() => onChange({ ...draft, groups: [...draft.groups, newGroup(draft.groups)] })}
      >
        Add instance group
      </Button>
      <SystemGroupForm draft={draft} at={at} onChange={onChange} />
      <HyperPodSettings draft={draft} at={at} onChange={onChange} />
    </SpaceBetween>
  );
}

function HyperPodSettings({ draft, at, onChange }: HyperPodProps) {
  const of = bound(draft, (changed) => onChange({ ...draft, ...changed }), at);
  return (
    <Section
      title="Shortage, recovery and subnets"
      fields={below(at, ['on_shortage', 'node_recovery', 'subnet_prefix'])}
    >
      <ColumnLayout columns={2}>
        <ChosenField<HyperPod['on_shortage']>
          {...of('on_shortage')}
          label="When capacity is lacking"
          byDefault={DEFAULTS.HyperPod.on_shortage}
          options={SHORTAGES}
        />
        <ChosenField<HyperPod['node_recovery']>
          {...of('node_recovery')}
          label="Node recovery"
          byDefault={DEFAULTS.HyperPod.node_recovery}
          options={RECOVERIES}
        />
        <TextField
          {...of('subnet_prefix')}
          label="Prefix length of compute subnets"
          optional
          type="number"
          placeholder="As the network is laid out by itself"
        />
      </ColumnLayout>
    </Section>
  );
}
