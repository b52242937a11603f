import Input from '@cloudscape-design/components/input';
import { useState } from 'react';
import { Field, type FieldProps } from '../../../forms/field';

interface Props<Taken> extends FieldProps {
  /** What is sent of what was typed; undefined for nothing. */
  read: (text: string) => Taken | undefined;
  /** Told when the field is left. */
  onTaken: (taken: Taken | undefined) => void;
}

/** What may be left out, and is taken when the field is left, so that no half of it is previewed. */
export function TakenField<Taken>({ read, onTaken, ...field }: Props<Taken>) {
  const [text, setText] = useState('');
  const take = () => onTaken(read(text));
  return (
    <Field {...field} optional>
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
