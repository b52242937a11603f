import ColumnLayout from '@cloudscape-design/components/column-layout';
import Multiselect from '@cloudscape-design/components/multiselect';
import { bound } from '../bound';
import { Field } from '../field';
import { ChosenField, TextField } from '../fields';
import type { DeepHealthCheck } from './draft';
import type { GroupProps } from './group-form';

const CHECKS: readonly { value: DeepHealthCheck; label: string }[] = [
  { value: 'instance_stress', label: 'Stress of each instance' },
  { value: 'instance_connectivity', label: 'Connectivity of each instance' },
  { value: 'multi_node_training_validation', label: 'Training across several nodes' },
];

/** What else may be said of the instances of a group. */
export function GroupCapacity({ group, place, onChange }: GroupProps) {
  const of = bound(group, onChange, place);
  const checks = group.deep_health_checks ?? [];
  return (
    <ColumnLayout columns={2}>
      <TextField
        {...of('further_types', 'instance_types')}
        label="Further instance types"
        optional
        description="Taken when the first is not to be had, in this order, parted by commas."
      />
      <TextField {...of('min_instance_count')} label="Instances to begin with, at least" optional type="number" />
      <Field field={`${place}.deep_health_checks`} label="Deep health checks" optional value={group.deep_health_checks}>
        <Multiselect
          selectedOptions={CHECKS.filter(({ value }) => checks.includes(value))}
          options={CHECKS}
          placeholder="None"
          onChange={({ detail }) =>
            onChange({ deep_health_checks: detail.selectedOptions.map(({ value }) => value as DeepHealthCheck) })
          }
        />
      </Field>
      <ChosenField<'1' | '2' | ''>
        {...of('threads_per_core')}
        label="Threads per core"
        optional
        byDefault=""
        options={[
          { value: '', label: 'All that the type has' },
          { value: '1', label: '1' },
          { value: '2', label: '2' },
        ]}
      />
      <TextField {...of('image_id')} label="Image" optional placeholder="The release's own, or ami-…" />
    </ColumnLayout>
  );
}
