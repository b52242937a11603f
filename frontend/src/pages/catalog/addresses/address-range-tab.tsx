import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useState } from 'react';
import { type RangeWish, useRangeSuggestion } from '../../../api/catalog';
import { Unknowns } from '../../../components/unknowns';
import { RangeForm } from './range-form';
import { Suggestion } from './suggestion';

const FIELDS = ['prefix', 'exclude', 'cluster_tag'];

/** A free range for a new cluster's VPC. */
export default function AddressRangeTab() {
  const [wanted, setWanted] = useState<RangeWish>({});
  const { data, error, isFetching, refetch } = useRangeSuggestion(wanted);
  const isOfAField = error?.problem.errors?.some(({ field }) => FIELDS.includes(field)) ?? false;
  return (
    <SpaceBetween size="m">
      <RangeForm
        fields={FIELDS}
        problem={error?.problem}
        busy={isFetching}
        onAsk={(wish) => (JSON.stringify(wish) === JSON.stringify(wanted) ? void refetch() : setWanted(wish))}
      />
      <Unknowns unknown={data?.unknown} />
      <Container header={<Header description="It overlaps with nothing that was looked at.">Suggestion</Header>}>
        {data ? (
          <Suggestion answer={data} />
        ) : error ? (
          <Box>{isOfAField ? 'There is none for what was asked.' : 'None could be asked for.'}</Box>
        ) : (
          <>
            <Spinner /> Looking for a free range
          </>
        )}
      </Container>
    </SpaceBetween>
  );
}
