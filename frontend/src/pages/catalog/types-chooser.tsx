import FormField from '@cloudscape-design/components/form-field';
import Multiselect from '@cloudscape-design/components/multiselect';
import { useSearchParams } from 'react-router';
import { useInstanceTypes } from '../../api/catalog';

/** The instance types that the address of the page names. */
export function useChosenTypes(): [readonly string[], (types: readonly string[]) => void] {
  const [search, setSearch] = useSearchParams();
  const choose = (types: readonly string[]) =>
    setSearch(types.length > 0 ? { types: types.join(',') } : {}, { replace: true });
  return [(search.get('types') ?? '').split(',').filter(Boolean), choose];
}

interface Props {
  label: string;
  description: string;
  chosen: readonly string[];
  onChoose: (types: readonly string[]) => void;
}

/** Instance types to be asked about as well. */
export function TypesChooser({ label, description, chosen, onChoose }: Props) {
  const { data, isPending, error } = useInstanceTypes();
  const options = (data?.types ?? []).map(({ name }) => ({ value: name, label: name }));
  return (
    <FormField label={label} description={description}>
      <Multiselect
        options={options}
        selectedOptions={chosen.map((name) => ({ value: name, label: name }))}
        placeholder="Choose instance types"
        filteringType="auto"
        statusType={error ? 'error' : isPending ? 'loading' : 'finished'}
        loadingText="Reading instance types"
        errorText={error?.problem.detail}
        onChange={({ detail }) => onChoose(detail.selectedOptions.flatMap(({ value }) => value ?? []))}
      />
    </FormField>
  );
}
