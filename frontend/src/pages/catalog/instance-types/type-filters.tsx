import FormField from '@cloudscape-design/components/form-field';
import Grid from '@cloudscape-design/components/grid';
import Select from '@cloudscape-design/components/select';
import TextFilter from '@cloudscape-design/components/text-filter';
import { useEffect, useState } from 'react';
import { NavigationType, useNavigationType, useSearchParams } from 'react-router';
import { useZones } from '../../../api/catalog';

const SIZES = [
  { colspan: { default: 12, s: 3 } },
  { colspan: { default: 12, s: 3 } },
  { colspan: { default: 12, s: 3 } },
  { colspan: { default: 12, s: 3 } },
];

/** What narrows the list. It stands in the address. */
export function TypeFilters() {
  const zones = useZones([]).data?.availability_zones ?? [];
  return (
    <Grid gridDefinition={SIZES}>
      <Words />
      <Choice name="accelerated" label="Accelerators" options={yesOrNo('With accelerators', 'Without accelerators')} />
      <Choice name="efa" label="Elastic Fabric Adapter" options={yesOrNo('With EFA', 'Without EFA')} />
      <Choice name="availability_zone" label="Zone" options={zones.map(({ name }) => ({ value: name, label: name }))} />
    </Grid>
  );
}

function Words() {
  const [searched, put] = useSearched('words');
  // The address follows a moment later, and whoever types fast is a moment ahead.
  const [words, setWords] = useState(searched);
  const how = useNavigationType();
  useEffect(() => {
    // Whoever comes by a link, or goes back, finds the words of that address.
    if (how !== NavigationType.Replace) {
      setWords(searched);
    }
  }, [how, searched]);
  return (
    <FormField label="Name or accelerator">
      <TextFilter
        filteringText={words}
        filteringPlaceholder="p5 H100"
        filteringAriaLabel="Name or accelerator"
        onChange={({ detail }) => {
          setWords(detail.filteringText);
          put(detail.filteringText);
        }}
      />
    </FormField>
  );
}

interface ChoiceProps {
  name: string;
  label: string;
  options: readonly { value: string; label: string }[];
}

function Choice({ name, label, options }: ChoiceProps) {
  const [value, put] = useSearched(name);
  const all = [{ value: '', label: 'All' }, ...options];
  const chosen = all.find((option) => option.value === value) ?? { value, label: value };
  return (
    <FormField label={label}>
      <Select
        options={all}
        selectedOption={chosen}
        onChange={({ detail }) => put(detail.selectedOption.value ?? '')}
        expandToViewport
      />
    </FormField>
  );
}

function useSearched(name: string): [string, (value: string) => void] {
  const [search, setSearch] = useSearchParams();
  const put = (value: string) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        value === '' ? after.delete(name) : after.set(name, value);
        return after;
      },
      { replace: true },
    );
  return [search.get(name) ?? '', put];
}

function yesOrNo(yes: string, no: string) {
  return [
    { value: 'true', label: yes },
    { value: 'false', label: no },
  ];
}
