import Multiselect from '@cloudscape-design/components/multiselect';
import type { Area } from '../../../api/schema';
import { sentence } from '../../../components/words';

const AREAS: readonly Area[] = [
  'operations',
  'foundation',
  'control_plane',
  'access',
  'addons',
  'hyperpod',
  'network',
  'lifecycle',
  'capacity',
  'nodes',
];

interface Props {
  areas: readonly string[];
  onChange: (areas: readonly string[]) => void;
}

/** Narrows a diagnosis to areas, which is also quicker. */
export function AreasFilter({ areas, onChange }: Props) {
  const options = AREAS.map((area) => ({ value: area, label: sentence(area) }));
  return (
    <Multiselect
      ariaLabel="Areas"
      placeholder="All areas"
      selectedOptions={options.filter(({ value }) => areas.includes(value))}
      options={options}
      inlineTokens
      onChange={({ detail }) => onChange(detail.selectedOptions.flatMap(({ value }) => value ?? []))}
    />
  );
}
