import RadioGroup from '@cloudscape-design/components/radio-group';
import { Field } from '../../../forms/field';

export type Conflicts = 'refuse' | 'overwrite';

interface Props {
  value: Conflicts | undefined;
  onChange: (value: Conflicts) => void;
}

/** What becomes of fields of an add-on that others changed. */
export function ConflictsField({ value = 'refuse', onChange }: Props) {
  return (
    <Field field="addon_conflicts" label="Add-ons that others changed">
      <RadioGroup
        value={value}
        onChange={({ detail }) => onChange(detail.value as Conflicts)}
        items={[
          { value: 'refuse', label: 'Leave them, and say so' },
          { value: 'overwrite', label: 'Overwrite what others changed' },
        ]}
      />
    </Field>
  );
}
