import AttributeEditor from '@cloudscape-design/components/attribute-editor';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import { Field } from '../field';
import type { TaintDraft } from './draft';

const EFFECTS: readonly { value: TaintDraft['effect'] }[] = [
  { value: 'NoSchedule' },
  { value: 'PreferNoSchedule' },
  { value: 'NoExecute' },
];

interface Props {
  field: string;
  value: readonly TaintDraft[] | undefined;
  onChange: (taints: readonly TaintDraft[]) => void;
}

/** The taints of the nodes of a group. */
export function TaintsField({ field, value, onChange }: Props) {
  const taints = value ?? [];
  const change = (place: number, changed: Partial<TaintDraft>) =>
    onChange(taints.map((taint, index) => (index === place ? { ...taint, ...changed } : taint)));
  const text = (part: 'key' | 'value', name: string) => (taint: TaintDraft, place: number) => (
    <Input
      value={taint[part]}
      spellcheck={false}
      ariaLabel={`${name} of taint ${place + 1}`}
      onChange={({ detail }) => change(place, { [part]: detail.value })}
    />
  );
  const effect = (taint: TaintDraft, place: number) => (
    <Select
      selectedOption={{ value: taint.effect }}
      options={EFFECTS}
      ariaLabel={`Effect of taint ${place + 1}`}
      onChange={({ detail }) => change(place, { effect: detail.selectedOption.value as TaintDraft['effect'] })}
    />
  );
  return (
    <Field field={field} label="Taints of the nodes" optional stretch value={value}>
      <AttributeEditor
        items={taints}
        addButtonText="Add taint"
        removeButtonText="Remove"
        removeButtonAriaLabel={({ key }) => `Remove taint ${key}`}
        empty="No taint yet."
        definition={[
          { label: 'Key', control: text('key', 'Key') },
          { label: 'Value', control: text('value', 'Value') },
          { label: 'Effect', control: effect },
        ]}
        onAddButtonClick={() => onChange([...taints, { key: '', value: '', effect: 'NoSchedule' }])}
        onRemoveButtonClick={({ detail }) => onChange(taints.filter((_, index) => index !== detail.itemIndex))}
      />
    </Field>
  );
}
