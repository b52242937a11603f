import type { ProblemBody } from '../../api/schema';
import { PageFrame } from '../../application/page-frame';
import { NotRead } from '../../components/not-read';

interface Props {
  tag: string;
  problem: ProblemBody;
  onRetry: () => void;
}

/** What stands in the place of a cluster that could not be read. */
export function ClusterUnread({ tag, problem, onRetry }: Props) {
  return (
    <PageFrame title={tag} above={[]}>
      <NotRead problem={problem} onRetry={onRetry} />
    </PageFrame>
  );
}
