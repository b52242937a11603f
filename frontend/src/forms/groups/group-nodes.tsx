import ColumnLayout from '@cloudscape-design/components/column-layout';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { bound } from '../bound';
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
  const of = bound(group, onChange, place);
  return (
    <SpaceBetween size="l">
      <DisksField group={group} place={place} onChange={onChange} />
      <ColumnLayout columns={3}>
        <TextField
          {...of('script_source', 'lifecycle.source_uri')}
          label="Lifecycle scripts in"
          optional
          placeholder="s3://…"
        />
        <TextField {...of('script', 'lifecycle')} label="Script to run" optional placeholder="on_create.sh" />
        <ChosenField<ScriptTime>
          {...of('script_time', 'lifecycle.time')}
          label="When it runs"
          byDefault="on_create"
          options={TIMES}
        />
      </ColumnLayout>
      <PairsField {...of('labels')} label="Labels of the nodes" noun="label" />
      <TaintsField {...of('taints')} />
    </SpaceBetween>
  );
}
