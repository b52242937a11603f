import Input from '@cloudscape-design/components/input';
import { useState } from 'react';
import { Field } from '../../../forms/field';
import { listed } from '../../../forms/sending';

interface Props {
  /** The API's name of the field. */
  field: string;
  label: string;
  description: string;
  /** Told when the field is left; undefined where nothing stands in it. */
  onNames: (names: string[] | undefined) => void;
}

/** Names, parted by commas; they are taken when the field is left, so that nothing is previewed of half a name. */
export function NamesInput({ field, label, description, onNames }: Props) {
  const [text, setText] = useState('');
  const take = () => onNames(listed(text));
  return (
    <Field field={field} label={label} optional description={description} constraint="Parted by commas.">
      <Input
        value={text}
        spellcheck={false}
        onChange={({ detail }) => setText(detail.value)}
        onBlur={take}
        onKeyDown={({ detail }) => detail.key === 'Enter' && take()}
      />
    </Field>
  );
}
