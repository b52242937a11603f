import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import { useState } from 'react';
import { useServerError } from '../../../components/server-field-errors';
import { namesIn } from './names';

interface Props {
  /** The API's name of the field. */
  field: string;
  label: string;
  description: string;
  onNames: (names: string[]) => void;
}

/** Names, parted by commas; they are taken when the field is left, so that nothing is previewed of half a name. */
export function NamesInput({ field, label, description, onNames }: Props) {
  const [text, setText] = useState('');
  const take = () => onNames(namesIn(text));
  return (
    <FormField
      label={label}
      description={description}
      constraintText="Parted by commas."
      errorText={useServerError(field)}
    >
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
