import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { Operation } from '../../api/schema';
import { CopyableCommand } from '../../components/copyable-command';
import { CopyableValue } from '../../components/copyable-value';
import { Duration } from '../../components/duration';
import { PageLink } from '../../components/page-link';
import { Time } from '../../components/time';

/** Who asked for what, and when. */
export function OperationFacts({ operation }: { operation: Operation }) {
  const { actor, cluster_tag } = operation;
  return (
    <Container header={<Header>Details</Header>}>
      <SpaceBetween size="l">
        <KeyValuePairs
          columns={3}
          items={[
            {
              label: 'Operation',
              value: <CopyableValue value={operation.operation_id} label="Copy the operation id" />,
            },
            {
              label: 'Cluster',
              value: <PageLink to={`/clusters/${encodeURIComponent(cluster_tag)}`}>{cluster_tag}</PageLink>,
            },
            { label: 'Asked for by', value: <span className="value">{`${actor.id}, by ${actor.channel}`}</span> },
            { label: 'Asked for', value: <Time at={operation.created_at} /> },
            { label: 'Ended', value: <Time at={operation.finished_at} /> },
            { label: 'Took', value: <Duration from={operation.started_at} to={operation.finished_at} /> },
          ]}
        />
        <ExpandableSection headerText="What was asked for">
          <CopyableCommand command={JSON.stringify(operation.request, null, 2)} label="the request" />
        </ExpandableSection>
        {operation.result && (
          <ExpandableSection headerText="What came of it">
            <CopyableCommand command={JSON.stringify(operation.result, null, 2)} label="the result" />
          </ExpandableSection>
        )}
      </SpaceBetween>
    </Container>
  );
}
