import AttributeEditor from '@cloudscape-design/components/attribute-editor';
import Input from '@cloudscape-design/components/input';
import { Field, type FieldProps } from './field';
import type { Pair } from './sending';

interface Props extends FieldProps {
  /** What one row is called: `label`. */
  noun: string;
  value: readonly Pair[] | undefined;
  onChange: (pairs: readonly Pair[]) => void;
}

/** Rows of keys and values. */
export function PairsField({ noun, value, onChange, ...field }: Props) {
  const pairs = value ?? [];
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
    <Field {...field} optional stretch value={value}>
      <AttributeEditor
        items={pairs}
        addButtonText={`Add ${noun}`}
        removeButtonText="Remove"
        removeButtonAriaLabel={({ key }) => `Remove ${noun} ${key}`}
        empty={`No ${noun} yet.`}
        definition={[
          { label: 'Key', control: control('key'), warningText: (_, place) => repeated(pairs, place) },
          { label: 'Value', control: control('value') },
        ]}
        onAddButtonClick={() => onChange([...pairs, { key: '', value: '' }])}
        onRemoveButtonClick={({ detail }) => onChange(pairs.filter((_, index) => index !== detail.itemIndex))}
      />
    </Field>
  );
}

/** An object has each key once; what is typed a second time is not dropped in silence. */
function repeated(pairs: readonly Pair[], place: number): string | undefined {
  const key = pairs[place]?.key.trim();
  const later = pairs.slice(place + 1).some((pair) => pair.key.trim() === key);
  return key && later ? 'A row below has this key too, and counts instead of this one.' : undefined;
}
