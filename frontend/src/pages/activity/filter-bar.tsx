import PropertyFilter from '@cloudscape-design/components/property-filter';
import { useSearchParams } from 'react-router';
import { type Property, searchOf, tokensOf } from './filters';

interface Props {
  properties: readonly Property[];
  /** What is filtered, for those who only hear it: `operations`. */
  what: string;
}

/** The filters of a list. They stand in the address, so that it can be kept and sent to others. */
export function FilterBar({ properties, what }: Props) {
  const [search, setSearch] = useSearchParams();
  return (
    <PropertyFilter
      query={{ tokens: tokensOf(search, properties), operation: 'and' }}
      onChange={({ detail }) => setSearch((before) => searchOf(before, properties, detail.tokens), { replace: true })}
      filteringProperties={properties.map(({ key, label, plural, options }) => ({
        key,
        propertyLabel: label,
        groupValuesLabel: plural,
        operators: [{ operator: '=', format: (value: unknown) => labelOf(options, value) }],
      }))}
      filteringOptions={properties.flatMap(({ key, options }) =>
        options.map((option) => ({ propertyKey: key, ...option })),
      )}
      disableFreeTextFiltering
      hideOperations
      expandToViewport
      filteringAriaLabel={`Filter ${what}`}
      filteringPlaceholder={`Filter ${what} by ${properties.map(({ label }) => label.toLowerCase()).join(', ')}`}
      filteringEmpty="No suggestions: type a value"
      i18nStrings={{ dismissAriaLabel: 'Dismiss', groupValuesText: 'Values', clearFiltersText: 'Clear filters' }}
    />
  );
}

function labelOf(options: Property['options'], value: unknown): string {
  return options.find((option) => option.value === value)?.label ?? String(value);
}
