import FormField from '@cloudscape-design/components/form-field';
import type { ReactNode } from 'react';
import { useServerError } from '../components/server-field-errors';
import { placeOf } from './reveal';

export interface FieldProps {
  /** The API's name of it: what the server says of it is shown here. */
  field: string;
  label: string;
  optional?: boolean;
  description?: ReactNode;
  constraint?: ReactNode;
  stretch?: boolean;
}

/** A labelled field of a request. */
export function Field({ field, label, optional, description, constraint, stretch, children }: FieldProps & Children) {
  const error = useServerError(field);
  const name = optional ? (
    <>
      {label} <i>- optional</i>
    </>
  ) : (
    label
  );
  return (
    <div id={placeOf(field)}>
      <FormField
        label={name}
        description={description}
        constraintText={constraint}
        stretch={stretch}
        errorText={error && <span className="value">{error}</span>}
      >
        {children}
      </FormField>
    </div>
  );
}

interface Children {
  children: ReactNode;
}
