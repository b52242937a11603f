import Select, { type SelectProps } from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import TextFilter from '@cloudscape-design/components/text-filter';
import type { EventFilter } from './events';

interface Props {
  filter: EventFilter;
  levels: readonly string[];
  onChange: (filter: EventFilter) => void;
}

const ANY: SelectProps.Option = { value: '', label: 'Any level' };

/** Narrows events to a level and to words. */
export function EventsFilter({ filter, levels, onChange }: Props) {
  const options = [ANY, ...levels.map((level) => ({ value: level, label: level }))];
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <TextFilter
        filteringText={filter.text}
        filteringPlaceholder="Find words"
        filteringAriaLabel="Find words in events"
        filteringClearAriaLabel="Clear the words"
        onChange={({ detail }) => onChange({ ...filter, text: detail.filteringText })}
      />
      <Select
        ariaLabel="Level"
        selectedOption={options.find(({ value }) => value === (filter.level ?? '')) ?? ANY}
        options={options}
        onChange={({ detail }) => onChange({ ...filter, level: detail.selectedOption.value || null })}
      />
    </SpaceBetween>
  );
}
