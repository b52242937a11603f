import Autosuggest, { type AutosuggestProps } from '@cloudscape-design/components/autosuggest';
import Checkbox from '@cloudscape-design/components/checkbox';
import Input, { type InputProps } from '@cloudscape-design/components/input';
import Select, { type SelectProps } from '@cloudscape-design/components/select';
import Textarea from '@cloudscape-design/components/textarea';
import { Field, type FieldProps, type Unlabelled } from './field';

interface Text extends FieldProps {
  value: string | undefined;
  onChange: (value: string) => void;
  placeholder?: string;
}

/** A line of text, or a number. */
export function TextField({
  value,
  onChange,
  placeholder,
  type = 'text',
  ...field
}: Text & { type?: InputProps.Type }) {
  return (
    <Field {...field} value={value}>
      <Input
        value={value ?? ''}
        type={type}
        inputMode={type === 'number' ? 'numeric' : 'text'}
        placeholder={placeholder}
        autoComplete={false}
        spellcheck={false}
        onChange={({ detail }) => onChange(detail.value)}
      />
    </Field>
  );
}

/** Several values, a line each. */
export function LinesField({ value, onChange, placeholder, ...field }: Text) {
  return (
    <Field {...field} value={value}>
      <Textarea
        value={value ?? ''}
        rows={2}
        placeholder={placeholder}
        spellcheck={false}
        onChange={({ detail }) => onChange(detail.value)}
      />
    </Field>
  );
}

interface Suggested extends Text {
  options: AutosuggestProps.Options;
  /** Why there is nothing to choose from, where that is known. */
  note?: string | null;
  isReading?: boolean;
}

/** A name to be chosen or typed: what the catalog does not know, or could not read, can be asked for all the same. */
export function SuggestedField({ value, onChange, placeholder, options, note, isReading, ...field }: Suggested) {
  return (
    <Field {...field} value={value}>
      <Autosuggest
        value={value ?? ''}
        options={options}
        virtualScroll
        placeholder={placeholder}
        statusType={isReading ? 'loading' : note ? 'error' : 'finished'}
        loadingText="Reading what there is"
        errorText={note ?? undefined}
        empty="Nothing to choose from; type a name"
        enteredTextLabel={(typed) => `Use ${typed}`}
        onChange={({ detail }) => onChange(detail.value)}
      />
    </Field>
  );
}

interface Chosen<Value extends string> extends FieldProps {
  value: Value | undefined;
  /** What is sent, or done, where nobody chooses. */
  byDefault?: Value;
  options: readonly { value: Value; label: string; description?: string }[];
  onChange: (value: Value) => void;
  placeholder?: string;
}

/** One of a few values that the API knows. */
export function ChosenField<Value extends string>(props: Chosen<Value>) {
  const { value, byDefault, options, onChange, placeholder, ...field } = props;
  const chosen = options.find((option) => option.value === (value ?? byDefault)) ?? null;
  return (
    <Field {...field} value={value}>
      <Select
        selectedOption={chosen as SelectProps.Option | null}
        options={options as readonly SelectProps.Option[]}
        placeholder={placeholder}
        triggerVariant="option"
        onChange={({ detail }) => onChange(detail.selectedOption.value as Value)}
      />
    </Field>
  );
}

type Checked = Unlabelled & {
  value: boolean | undefined;
  onChange: (value: boolean) => void;
  /** What is agreed to. */
  words: string;
  /** What it means, and what holds without it. */
  meaning?: string;
};

/** What is done only when somebody agrees to it. */
export function CheckboxField({ value, onChange, words, meaning, ...field }: Checked) {
  return (
    <Field {...field} value={value}>
      <Checkbox checked={value ?? false} description={meaning} onChange={({ detail }) => onChange(detail.checked)}>
        {words}
      </Checkbox>
    </Field>
  );
}
