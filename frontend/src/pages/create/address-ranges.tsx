import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useRangeSuggestion } from '../../api/catalog';
import { bound } from '../../forms/bound';
import { TextField } from '../../forms/fields';
import { sent } from '../../forms/sending';
import { useLater } from '../../forms/use-later';
import type { FoundationProps } from './foundation-form';

/** The address ranges of a new VPC: the suggested ones are shown, and taken by themselves. */
export function AddressRanges({ draft, tag, onChange }: FoundationProps & { tag: string | undefined }) {
  const of = bound(draft, onChange, 'foundation');
  const { data, error } = useRangeSuggestion({ cluster_tag: useLater(sent(tag)) }, { keepsBefore: true });
  const suggestion = data?.suggestion;
  const [unknown] = data?.unknown ?? [];
  const use = () =>
    suggestion &&
    onChange({
      vpc_cidr: suggestion.vpc_cidr,
      public_subnet_cidrs: suggestion.public_subnet_cidrs.join(', '),
      control_plane_subnet_cidrs: suggestion.control_plane_subnet_cidrs.join(', '),
    });
  return (
    <SpaceBetween size="m">
      <Header
        variant="h3"
        description="Where nothing is typed, ranges are chosen that overlap with nothing of the region."
        actions={
          <Button formAction="none" disabled={!suggestion} onClick={use}>
            Fill in the suggested ranges
          </Button>
        }
      >
        Address ranges
      </Header>
      {data?.free === false && <Box color="text-status-warning">No range is free. Type one of your own.</Box>}
      {(error || unknown) && (
        <Box color="text-status-warning">
          No ranges could be suggested: {error?.problem.detail ?? unknown?.reason}.{' '}
          {error?.problem.remedy ?? unknown?.remedy}
        </Box>
      )}
      <ColumnLayout columns={2}>
        <TextField {...of('vpc_cidr')} label="VPC" optional placeholder={suggestion?.vpc_cidr} />
        <TextField
          {...of('compute_cidr')}
          label="Compute subnets lie in"
          optional
          placeholder="Wherever there is room"
        />
        <TextField
          {...of('public_subnet_cidrs')}
          label="Public subnets"
          optional
          placeholder={suggestion?.public_subnet_cidrs.join(', ')}
        />
        <TextField
          {...of('control_plane_subnet_cidrs')}
          label="Control plane subnets"
          optional
          placeholder={suggestion?.control_plane_subnet_cidrs.join(', ')}
        />
      </ColumnLayout>
    </SpaceBetween>
  );
}
