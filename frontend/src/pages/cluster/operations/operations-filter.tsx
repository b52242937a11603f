import Select, { type SelectProps } from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { OperationFilters } from '../../../api/operation-lists';
import { useOperations } from '../../../api/operations';
import type { OperationStatus } from '../../../api/schema';
import { kindOf, sentence } from '../../../components/words';

const STATUSES: readonly OperationStatus[] = ['PENDING', 'RUNNING', 'CANCELLING', 'SUCCEEDED', 'FAILED', 'CANCELLED'];

interface Props {
  tag: string;
  filters: OperationFilters;
  onChange: (filters: OperationFilters) => void;
}

/** Narrows the operations of a cluster to a kind and a status. */
export function OperationsFilter({ tag, filters, onChange }: Props) {
  const kinds = new Set(useOperations({ cluster_tag: tag }).items.map(({ kind }) => kind));
  const { kind, status, ...others } = filters;
  const put = (chosen: OperationFilters) => onChange(withoutEmpty({ ...others, kind, status, ...chosen }));
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <Choice
        label="Kind"
        any="Any kind"
        value={kind}
        options={[...kinds].sort()}
        words={kindOf}
        onChange={(value) => put({ kind: value })}
      />
      <Choice
        label="Status"
        any="Any status"
        value={status}
        options={STATUSES}
        words={sentence}
        onChange={(value) => put({ status: value as OperationStatus | undefined })}
      />
    </SpaceBetween>
  );
}

interface ChoiceProps {
  label: string;
  any: string;
  value: string | null | undefined;
  options: readonly string[];
  words: (option: string) => string;
  onChange: (value: string | undefined) => void;
}

function Choice({ label, any, value, options, words, onChange }: ChoiceProps) {
  const none: SelectProps.Option = { value: '', label: any };
  const all = [none, ...options.map((option) => ({ value: option, label: words(option) }))];
  return (
    <Select
      ariaLabel={label}
      selectedOption={all.find((option) => option.value === (value ?? '')) ?? none}
      options={all}
      onChange={({ detail }) => onChange(detail.selectedOption.value || undefined)}
    />
  );
}

function withoutEmpty(filters: OperationFilters): OperationFilters {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as OperationFilters;
}
