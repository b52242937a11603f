import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import Container from '@cloudscape-design/components/container';
import DatePicker from '@cloudscape-design/components/date-picker';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Select from '@cloudscape-design/components/select';
import { useState } from 'react';
import { type OfferingSearch, useInstanceTypes } from '../../../api/catalog';
import type { ProblemBody } from '../../../api/schema';
import { ServerFieldErrors, useServerError } from '../../../components/server-field-errors';
import { bound } from '../../../forms/bound';
import { Field } from '../../../forms/field';
import { TextField } from '../../../forms/fields';
import { isDay, searchOf, type Typed } from './typed';

interface Props {
  problem: ProblemBody | undefined;
  busy: boolean;
  onSearch: (wanted: OfferingSearch) => void;
}

const FIELDS = ['instance_type', 'instance_count', 'duration_hours', 'starts_after'];
const NO_DAY = 'That is no day. Type it in full, such as 2026/07/31, choose one, or leave it empty.';
const NOTHING: Typed = { instance_type: '', instance_count: '', duration_hours: '', starts_after: '' };

/** What somebody looks for; what was left out takes the API's own. */
export function OfferingForm({ problem, busy, onSearch }: Props) {
  const [typed, setTyped] = useState(NOTHING);
  const [isHalfDay, setIsHalfDay] = useState(false);
  const put = (changed: Partial<Typed>) => setTyped((before) => ({ ...before, ...changed }));
  const of = bound(typed, put);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const half = typed.starts_after !== '' && !isDay(typed.starts_after);
        setIsHalfDay(half);
        if (!half) {
          onSearch(searchOf(typed));
        }
      }}
    >
      <Container header={<Header description="It only looks, and buys nothing.">Look for capacity to reserve</Header>}>
        <ServerFieldErrors fields={FIELDS} problem={problem}>
          <ColumnLayout columns={4}>
            <TypeField {...of('instance_type')} />
            <TextField {...of('instance_count')} label="Instances" type="number" />
            <TextField {...of('duration_hours')} label="Hours at least" type="number" />
            <DayField
              value={typed.starts_after}
              isHalf={isHalfDay}
              onChange={(day) => {
                setIsHalfDay(false);
                put({ starts_after: day });
              }}
            />
          </ColumnLayout>
          <Box textAlign="right" margin={{ top: 'm' }}>
            <Button variant="primary" formAction="submit" loading={busy} disabled={typed.instance_type === ''}>
              Search
            </Button>
          </Box>
        </ServerFieldErrors>
      </Container>
    </form>
  );
}

interface FieldProps {
  value: string;
  onChange: (value: string) => void;
}

function TypeField({ value, onChange }: FieldProps) {
  const { data, isPending, error } = useInstanceTypes({ accelerated: true });
  const options = (data?.types ?? []).map(({ name }) => ({ value: name, label: name }));
  return (
    <Field field="instance_type" label="Instance type" value={value}>
      <Select
        options={options}
        selectedOption={value === '' ? null : { value, label: value }}
        placeholder="Choose one"
        filteringType="auto"
        statusType={error ? 'error' : isPending ? 'loading' : 'finished'}
        loadingText="Reading instance types"
        errorText={error?.problem.detail}
        onChange={({ detail }) => onChange(detail.selectedOption.value ?? '')}
      />
    </Field>
  );
}

function DayField({ value, isHalf, onChange }: FieldProps & { isHalf: boolean }) {
  const told = useServerError('starts_after');
  return (
    <FormField label="Starts on or after" errorText={isHalf ? NO_DAY : told}>
      <DatePicker
        value={value}
        placeholder="YYYY/MM/DD"
        openCalendarAriaLabel={() => 'Choose a day'}
        onChange={({ detail }) => onChange(detail.value)}
      />
    </FormField>
  );
}
