import Button from '@cloudscape-design/components/button';
import type { ProblemBody } from '../../api/schema';
import { PageFrame } from '../../application/page-frame';
import { ProblemAlert } from '../../components/problem-alert';

interface Props {
  tag: string;
  problem: ProblemBody;
  onRetry: () => void;
}

/** What stands in the place of a cluster that could not be read. */
export function ClusterUnread({ tag, problem, onRetry }: Props) {
  return (
    <PageFrame title={tag} above={[]}>
      <ProblemAlert problem={problem} action={<Button onClick={onRetry}>Try again</Button>} />
    </PageFrame>
  );
}
