import Box from '@cloudscape-design/components/box';
import { useInstanceTypes, useQuotas } from '../../api/catalog';
import { perHour } from '../../components/money';
import { SuggestedField } from '../fields';
import { hardwareOf, isOffered, quotasOf, typeOptions } from './hardware';

interface Props {
  field: string;
  label?: string;
  value: string | undefined;
  zone: string;
  /** Leaves types with accelerators out. */
  plain?: boolean;
  optional?: boolean;
  placeholder?: string;
  onChange: (type: string) => void;
}

/** An instance type of the catalog, with what it is made of, what it costs and what is left of its quota. */
export function TypeField({ field, label = 'Instance type', value, zone, plain = false, ...more }: Props) {
  const { data, isPending, error } = useInstanceTypes();
  const types = data?.types ?? [];
  const shown = plain ? types.filter(({ accelerator_count }) => accelerator_count === 0) : types;
  return (
    <SuggestedField
      {...more}
      field={field}
      label={label}
      value={value}
      options={typeOptions(shown, zone)}
      isReading={isPending}
      note={error && `The catalog could not be read: ${error.problem.detail}`}
      placeholder={more.placeholder ?? 'Choose or type one, for example ml.g6.4xlarge'}
      constraint={<AboutType name={value ?? ''} zone={zone} />}
    />
  );
}

function AboutType({ name, zone }: { name: string; zone: string }) {
  const type = useInstanceTypes().data?.types?.find((each) => each.name === name);
  const { data } = useQuotas(type ? [type.name] : [], { enabled: type !== undefined, keepsBefore: true });
  if (!type) {
    return null;
  }
  const lines = [
    [hardwareOf(type), type.price && perHour(type.price)].filter(Boolean).join(' · '),
    ...quotasOf(data?.quotas ?? [], type.name),
  ];
  return (
    <>
      {isOffered(type, zone) === false && (
        <Box color="text-status-warning" fontSize="body-s">
          Not offered in <span className="value">{zone}</span>
        </Box>
      )}
      {lines.map((line) => (
        <span key={line} style={{ display: 'block' }}>
          {line}
        </span>
      ))}
    </>
  );
}
