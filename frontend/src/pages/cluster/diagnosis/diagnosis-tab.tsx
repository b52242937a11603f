import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { useDiagnosis } from '../../../api/cluster-parts';
import type { Diagnosis } from '../../../api/schema';
import { Time } from '../../../components/time';
import type { ClusterProps } from '../tab-list';
import { AreasFilter } from './areas-filter';
import { type Check, ChecksTable } from './checks-table';

/** What keeps a cluster from working. */
export default function DiagnosisTab({ cluster: { tag } }: ClusterProps) {
  const [areas, setAreas] = useState<readonly string[]>([]);
  const [outcome, setOutcome] = useState('any');
  const diagnosis = useDiagnosis(tag, areas.length > 0 ? areas : undefined);
  const { data, isFetching, refetch } = diagnosis;
  return (
    <SpaceBetween size="l">
      {data && <Completeness diagnosis={data} />}
      <ChecksTable
        title="Diagnosis"
        description={
          data ? (
            <>
              Looked at <Time at={data.checked_at} />
            </>
          ) : (
            'Nothing is changed by looking.'
          )
        }
        diagnosis={diagnosis}
        only={(check) => outcome === 'any' || check.status === outcome}
        actions={
          <Button loading={isFetching} onClick={() => void refetch()}>
            Run again
          </Button>
        }
        filter={
          <SpaceBetween direction="horizontal" size="xs">
            <Outcomes diagnosis={data} chosen={outcome} onChange={setOutcome} />
            <AreasFilter areas={areas} onChange={setAreas} />
          </SpaceBetween>
        }
      />
    </SpaceBetween>
  );
}

interface OutcomesProps {
  diagnosis: Diagnosis | undefined;
  chosen: string;
  onChange: (outcome: string) => void;
}

function Outcomes({ diagnosis, chosen, onChange }: OutcomesProps) {
  const { failed = 0, warned = 0, informed = 0, passed = 0 } = diagnosis?.counts ?? {};
  const counts: readonly [Check['status'], string, number][] = [
    ['FAIL', 'Failed', failed],
    ['WARN', 'Warned', warned],
    ['INFO', 'Informed', informed],
    ['PASS', 'Passed', passed],
  ];
  return (
    <SegmentedControl
      label="Outcome"
      selectedId={chosen}
      onChange={({ detail }) => onChange(detail.selectedId)}
      options={[{ id: 'any', text: 'All' }, ...counts.map(([id, text, count]) => ({ id, text: `${text} (${count})` }))]}
    />
  );
}

function Completeness({ diagnosis: { complete, more_checks = 0 } }: { diagnosis: Diagnosis }) {
  if (complete && more_checks === 0) {
    return null;
  }
  return (
    <Alert type="info">
      {!complete && 'Not everything could be looked at; the checks that warn say what and why. '}
      {more_checks > 0 && `${more_checks} more checks are left out to keep the answer short. Choose areas to see them.`}
    </Alert>
  );
}
