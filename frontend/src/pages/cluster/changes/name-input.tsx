import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import { useState } from 'react';
import { useServerError } from '../../../components/server-field-errors';

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
  const take = () => onName(text.trim() || undefined);
  return (
    <FormField label={<>{label} (optional)</>} description={description} errorText={useServerError(field)}>
      <Input
        value={text}
        spellcheck={false}
        onChange={({ detail }) => setText(detail.value)}
        onBlur={take}
        onKeyDown={({ detail }) => detail.key === 'Enter' && take()}
      />
    </FormField>
  );
}
