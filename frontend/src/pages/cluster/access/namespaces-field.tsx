import Multiselect from '@cloudscape-design/components/multiselect';
import { useNamespaces } from '../../../api/cluster-parts';
import { useWhole } from '../../../api/listings';
import { Field } from '../../../forms/field';

interface Props {
  tag: string;
  chosen: readonly string[];
  onChange: (namespaces: string[]) => void;
}

/** The namespaces in which a permission holds, of those that the cluster has; everywhere without any. */
export function NamespacesField({ tag, chosen, onChange }: Props) {
  const { items, error, isPending } = useWhole(useNamespaces(tag));
  const options = [...new Set([...items.map(({ name }) => name), ...chosen])].map((name) => ({
    value: name,
    label: name,
  }));
  return (
    <Field field="namespaces" label="Namespaces" description="Where it holds. Without any, in the whole cluster.">
      <Multiselect
        placeholder="The whole cluster"
        selectedOptions={options.filter(({ value }) => chosen.includes(value))}
        options={options}
        statusType={error ? 'error' : isPending ? 'loading' : 'finished'}
        loadingText="Reading the namespaces"
        errorText={error?.problem.detail}
        empty="No namespaces are known."
        onChange={({ detail }) => onChange(detail.selectedOptions.flatMap(({ value }) => value ?? []))}
      />
    </Field>
  );
}
