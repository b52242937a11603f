import ColumnLayout from '@cloudscape-design/components/column-layout';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { ChosenField, TextField } from '../fields';
import { PairsField } from '../pairs-field';
import { DisksField } from './disks-field';
import type { ScriptTime } from './draft';
import type { GroupProps } from './group-form';
import { TaintsField } from './taints-field';

const TIMES: readonly { value: ScriptTime; label: string }[] = [
  { value: 'on_create', label: "In the place of the release's set-up script" },
  { value: 'on_init_complete', label: "After HyperPod's own set-up" },
];

/** What the nodes of a group have on them: disks, a script, labels, taints. */
export function GroupNodes({ group, place, onChange }: GroupProps) {
  return (
    <SpaceBetween size="l">
      <DisksField group={group} place={place} onChange={onChange} />
      <ColumnLayout columns={3}>
        <TextField
          field={`${place}.lifecycle.source_uri`}
          label="Lifecycle scripts in"
          optional
          placeholder="s3://…"
          value={group.script_source}
          onChange={(script_source) => onChange({ script_source })}
        />
        <TextField
          field={`${place}.lifecycle`}
          label="Script to run"
          optional
          placeholder="on_create.sh"
          value={group.script}
          onChange={(script) => onChange({ script })}
        />
        <ChosenField<ScriptTime>
          field={`${place}.lifecycle.time`}
          label="When it runs"
          value={group.script_time}
          byDefault="on_create"
          options={TIMES}
          onChange={(script_time) => onChange({ script_time })}
        />
      </ColumnLayout>
      <PairsField
        field={`${place}.labels`}
        label="Labels of the nodes"
        noun="label"
        pairs={group.labels ?? []}
        onChange={(labels) => onChange({ labels })}
      />
      <TaintsField field={`${place}.taints`} taints={group.taints ?? []} onChange={(taints) => onChange({ taints })} />
    </SpaceBetween>
  );
}
