import { useZones } from '../../api/catalog';
import { SuggestedField } from '../fields';
import { zoneOptions } from './hardware';

interface Props {
  field: string;
  label: string;
  value: string | undefined;
  /** The instance types that have to be offered there. */
  types: readonly string[];
  optional?: boolean;
  description?: string;
  placeholder?: string;
  onChange: (zone: string) => void;
}

/** A zone of the region, with what it does not offer. */
export function ZoneField({ types, placeholder = 'Choose a zone', ...field }: Props) {
  const known = types.filter((type) => /^ml\.[^.]+\.[^.]+$/.test(type));
  const { data, isPending, error } = useZones([...new Set(known)], { keepsBefore: true });
  const unknown = data?.unknown?.find(({ part }) => part === 'availability_zones');
  const reason = error?.problem.detail ?? unknown?.reason;
  return (
    <SuggestedField
      {...field}
      placeholder={placeholder}
      options={zoneOptions(data?.availability_zones ?? [])}
      isReading={isPending}
      note={reason && `The zones could not be read: ${reason}`}
    />
  );
}
