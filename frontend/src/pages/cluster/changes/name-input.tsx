import Input from '@cloudscape-design/components/input';
import { useState } from 'react';
import { Field } from '../../../forms/field';
import { sent } from '../../../forms/sending';

interface Props {
  /** The API's name of the field. */
  field: string;
  label: string;
  description: string;
  /** Told when the field is left; undefined where nothing stands in it. */
  onName: (name: string | undefined) => void;
}

/** A name that may be left out; it is taken when the field is left, so that no half of it is previewed. */
export function NameInput({ field, label, description, onName }: Props) {
  const [text, setText] = useState('');
  const take = () => onName(sent(text));
  return (
    <Field field={field} label={label} optional description={description}>
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
