import ColumnLayout from '@cloudscape-design/components/column-layout';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Toggle from '@cloudscape-design/components/toggle';
import { bound, within } from '../bound';
import { DEFAULTS } from '../defaults';
import { Field } from '../field';
import { TextField } from '../fields';
import type { SystemGroupDraft } from './hyperpod-draft';
import type { HyperPodProps } from './hyperpod-form';
import { TypeField } from './type-field';

/** Whether the cluster's own pods get a small group without accelerators, and of what it consists. */
export function SystemGroupForm({ draft, at, onChange }: HyperPodProps) {
  const place = within(at, 'system_group');
  const system = draft.system_group;
  const change = (changed: SystemGroupDraft) => onChange({ ...draft, system_group: { ...system, ...changed } });
  const of = bound<SystemGroupDraft>(system ?? {}, change, place);
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
            {...of('instance_type')}
            zone={draft.availability_zone}
            plain
            optional
            placeholder={DEFAULTS.SystemGroup.instance_type}
          />
          <TextField
            {...of('instance_count')}
            label="Instances"
            optional
            type="number"
            placeholder={String(DEFAULTS.SystemGroup.instance_count)}
          />
          <TextField {...of('name')} label="Name" optional placeholder={DEFAULTS.SystemGroup.name} />
        </ColumnLayout>
      )}
    </SpaceBetween>
  );
}
