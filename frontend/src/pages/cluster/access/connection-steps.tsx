import Box from '@cloudscape-design/components/box';
import Spinner from '@cloudscape-design/components/spinner';
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import { useConnection } from '../../../api/cluster-parts';
import { NotRead } from '../../../components/not-read';
import { WithRemedy } from '../../../components/with-remedy';
import { sentence } from '../../../components/words';

const TYPES: Readonly<Record<string, StatusIndicatorProps.Type>> = { passed: 'success', failed: 'error' };

/** How far the control plane gets into a cluster, step by step. */
export function ConnectionSteps({ tag }: { tag: string }) {
  const { data, error, refetch } = useConnection(tag, true);
  if (error) {
    return <NotRead problem={error.problem} onRetry={() => void refetch()} />;
  }
  if (!data) {
    return (
      <Box>
        <Spinner /> Trying the connection
      </Box>
    );
  }
  return (
    <ol>
      {data.checks.map(({ name, outcome, message, remedy }) => (
        <li key={name}>
          <StatusIndicator type={TYPES[outcome] ?? 'not-started'}>{sentence(name)}</StatusIndicator>
          <WithRemedy remedy={remedy}>{message}</WithRemedy>
        </li>
      ))}
    </ol>
  );
}
