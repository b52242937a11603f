import Select, { type SelectProps } from '@cloudscape-design/components/select';
import { useKubernetesVersions } from '../../../api/catalog';
import type { KubernetesVersionView } from '../../../api/schema';
import { Field } from '../../../forms/field';

interface Props {
  value: string | null;
  onChange: (version: string | undefined) => void;
}

const NEXT: SelectProps.Option = { value: '', label: 'The next minor version' };

/** The Kubernetes version to move to, of those that the catalog has. */
export function VersionField({ value, onChange }: Props) {
  const { data, isPending, error } = useKubernetesVersions();
  const options = [NEXT, ...(data?.kubernetes_versions ?? []).map(optionOf)];
  return (
    <Field
      field="kubernetes_version"
      label="Kubernetes version"
      description="Choose the present version to bring the rest of the cluster up to it."
    >
      <Select
        selectedOption={options.find((option) => option.value === (value ?? '')) ?? NEXT}
        options={options}
        statusType={error ? 'error' : isPending ? 'loading' : 'finished'}
        loadingText="Reading the versions"
        errorText={error?.problem.detail}
        onChange={({ detail }) => onChange(detail.selectedOption.value || undefined)}
      />
    </Field>
  );
}

function optionOf({ version, support }: KubernetesVersionView): SelectProps.Option {
  return { value: version, label: version, description: support ? `In ${support} support` : undefined };
}
