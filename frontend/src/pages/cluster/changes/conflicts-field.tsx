import FormField from '@cloudscape-design/components/form-field';
import RadioGroup from '@cloudscape-design/components/radio-group';
import { useServerError } from '../../../components/server-field-errors';

export type Conflicts = 'refuse' | 'overwrite';

interface Props {
  value: Conflicts | undefined;
  onChange: (value: Conflicts) => void;
}

/** What becomes of fields of an add-on that others changed. */
export function ConflictsField({ value = 'refuse', onChange }: Props) {
  return (
    <FormField label="Add-ons that others changed" errorText={useServerError('addon_conflicts')}>
      <RadioGroup
        value={value}
        onChange={({ detail }) => onChange(detail.value as Conflicts)}
        items={[
          { value: 'refuse', label: 'Leave them, and say so' },
          { value: 'overwrite', label: 'Overwrite what others changed' },
        ]}
      />
    </FormField>
  );
}
