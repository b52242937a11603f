import ColumnLayout from '@cloudscape-design/components/column-layout';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Toggle from '@cloudscape-design/components/toggle';
import { DEFAULTS } from '../defaults';
import { Field } from '../field';
import { TextField } from '../fields';
import { below } from './group-fields';
import type { SystemGroupDraft } from './hyperpod-draft';
import type { HyperPodProps } from './hyperpod-form';
import { TypeField } from './type-field';

/** Whether the cluster's own pods get a small group without accelerators, and of what it consists. */
export function SystemGroupForm({ draft, at, onChange }: HyperPodProps) {
  const [place = ''] = below(at, ['system_group']);
  const system = draft.system_group;
  const change = (changed: Partial<SystemGroupDraft>) =>
    onChange({ ...draft, system_group: { ...draft.system_group, ...changed } });
  return (
    <SpaceBetween size="m">
      <Field
        field={place}
        label="System group"
        description="A small group without accelerators for what the cluster runs of its own: add-ons, operators, DNS."
        value={system}
      >
        <Toggle
          checked={system !== undefined}
          onChange={({ detail }) => onChange({ ...draft, system_group: detail.checked ? {} : undefined })}
        >
          Add a system group
        </Toggle>
      </Field>
      {system && (
        <ColumnLayout columns={3}>
          <TypeField
            field={`${place}.instance_type`}
            value={system.instance_type}
            zone={draft.availability_zone}
            plain
            optional
            placeholder={DEFAULTS.SystemGroup.instance_type}
            onChange={(instance_type) => change({ instance_type })}
          />
          <TextField
            field={`${place}.instance_count`}
            label="Instances"
            optional
            type="number"
            placeholder={String(DEFAULTS.SystemGroup.instance_count)}
            value={system.instance_count}
            onChange={(instance_count) => change({ instance_count })}
          />
          <TextField
            field={`${place}.name`}
            label="Name"
            optional
            placeholder={DEFAULTS.SystemGroup.name}
            value={system.name}
            onChange={(name) => change({ name })}
          />
        </ColumnLayout>
      )}
    </SpaceBetween>
  );
}
