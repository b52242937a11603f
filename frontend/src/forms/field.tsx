import FormField from '@cloudscape-design/components/form-field';
import { type ReactNode, useState } from 'react';
import { useServerErrors } from '../components/server-field-errors';
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

/** What a field is that may stand without a label, because its control says what it is. */
export type Unlabelled = Omit<FieldProps, 'label'> & Partial<Pick<FieldProps, 'label'>>;

interface More {
  /** What is typed there: when it is another, what was said of it before no longer holds. */
  value?: unknown;
  children: ReactNode;
}

/** A field of a request, with what the server says of it. */
export function Field({
  field,
  label,
  optional,
  description,
  constraint,
  stretch,
  value,
  children,
}: Unlabelled & More) {
  const error = useErrorOf(field, value);
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

function useErrorOf(field: string, value: unknown): string | undefined {
  const told = useServerErrors();
  return useJudged(told, value) === value ? told[field] : undefined;
}

/** What a value was when that was told which is told now. */
export function useJudged<Value>(told: object, value: Value): Value {
  const [judged, setJudged] = useState({ told, value });
  if (judged.told === told) {
    return judged.value;
  }
  setJudged({ told, value });
  return value;
}
