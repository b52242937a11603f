import AttributeEditor from '@cloudscape-design/components/attribute-editor';
import Input from '@cloudscape-design/components/input';
import { Field, type FieldProps } from './field';
import type { Pair } from './sending';

interface Props extends FieldProps {
  /** What one row is called: `label`. */
  noun: string;
  pairs: readonly Pair[];
  onChange: (pairs: readonly Pair[]) => void;
}

/** Rows of keys and values. */
export function PairsField({ noun, pairs, onChange, ...field }: Props) {
  const change = (place: number, changed: Partial<Pair>) =>
    onChange(pairs.map((pair, index) => (index === place ? { ...pair, ...changed } : pair)));
  const control = (part: keyof Pair) => (pair: Pair, place: number) => (
    <Input
      value={pair[part]}
      spellcheck={false}
      ariaLabel={`${part === 'key' ? 'Key' : 'Value'} of ${noun} ${place + 1}`}
      onChange={({ detail }) => change(place, { [part]: detail.value })}
    />
  );
  return (
    <Field {...field} optional stretch value={pairs}>
      <AttributeEditor
        items={pairs}
        addButtonText={`Add ${noun}`}
        removeButtonText="Remove"
        removeButtonAriaLabel={({ key }) => `Remove ${noun} ${key}`}
        empty={`No ${noun} yet.`}
        definition={[
          { label: 'Key', control: control('key') },
          { label: 'Value', control: control('value') },
        ]}
        onAddButtonClick={() => onChange([...pairs, { key: '', value: '' }])}
        onRemoveButtonClick={({ detail }) => onChange(pairs.filter((_, index) => index !== detail.itemIndex))}
      />
    </Field>
  );
}
