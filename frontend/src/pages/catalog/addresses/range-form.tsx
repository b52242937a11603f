import Button from '@cloudscape-design/components/button';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import Form from '@cloudscape-design/components/form';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import { useState } from 'react';
import type { RangeWish } from '../../../api/catalog';
import type { ProblemBody } from '../../../api/schema';
import { ServerFieldErrors, useServerError } from '../../../components/server-field-errors';

interface Props {
  fields: readonly string[];
  problem: ProblemBody | undefined;
  busy: boolean;
  onAsk: (wanted: RangeWish) => void;
}

/** For what a range is wanted; what was left out takes the API's own. */
export function RangeForm({ fields, problem, busy, onAsk }: Props) {
  const [typed, setTyped] = useState({ prefix: '', exclude: '', cluster_tag: '' });
  const put = (name: keyof typeof typed) => (value: string) => setTyped((before) => ({ ...before, [name]: value }));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onAsk(wishOf(typed));
      }}
    >
      <Form
        actions={
          <Button formAction="submit" loading={busy}>
            Suggest
          </Button>
        }
      >
        <ServerFieldErrors fields={fields} problem={problem}>
          <ColumnLayout columns={3}>
            <TextField
              name="prefix"
              label="Size of the VPC"
              description="The number behind the slash."
              isNumber
              value={typed.prefix}
              onChange={put('prefix')}
            />
            <TextField
              name="exclude"
              label="Keep clear of"
              description="Ranges of your own, parted by commas."
              placeholder="10.8.0.0/16, 192.168.0.0/24"
              value={typed.exclude}
              onChange={put('exclude')}
            />
            <TextField
              name="cluster_tag"
              label="For the cluster"
              description="A new cluster of this tag gets this range by itself."
              value={typed.cluster_tag}
              onChange={put('cluster_tag')}
            />
          </ColumnLayout>
        </ServerFieldErrors>
      </Form>
    </form>
  );
}

function wishOf({ prefix, exclude, cluster_tag }: { prefix: string; exclude: string; cluster_tag: string }): RangeWish {
  return {
    ...(prefix !== '' && { prefix: Number(prefix) }),
    ...(exclude.trim() !== '' && { exclude: exclude.trim() }),
    ...(cluster_tag.trim() !== '' && { cluster_tag: cluster_tag.trim() }),
  };
}

interface FieldProps {
  name: string;
  label: string;
  description: string;
  placeholder?: string;
  isNumber?: boolean;
  value: string;
  onChange: (value: string) => void;
}

function TextField({ name, label, description, placeholder, isNumber = false, value, onChange }: FieldProps) {
  return (
    <FormField label={label} description={description} errorText={useServerError(name)}>
      <Input
        type={isNumber ? 'number' : 'text'}
        placeholder={placeholder}
        spellcheck={false}
        value={value}
        onChange={({ detail }) => onChange(detail.value)}
      />
    </FormField>
  );
}
