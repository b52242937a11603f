import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import type { Unknown } from '../api/catalog';

interface Props {
  unknown: readonly Unknown[] | undefined;
  /** Whether what is shown is this release's own table. */
  isShipped?: boolean;
}

/** What AWS did not say, why not, and what helps. */
export function Unknowns({ unknown = [], isShipped = false }: Props) {
  if (unknown.length === 0) {
    return null;
  }
  return (
    <Alert type="warning" header="AWS did not say everything">
      {isShipped && <Box>What is shown instead is this release’s own table.</Box>}
      <ul>
        {unknown.map(({ part, reason, remedy }) => (
          <li key={`${part} ${reason}`} className="value">
            <code>{part}</code>: {reason}. <strong>What helps:</strong> {remedy}
          </li>
        ))}
      </ul>
    </Alert>
  );
}

/** In the place of what nobody said; nothing, none and zero are something else. */
export function NotSaid() {
  return (
    <Box variant="span" color="text-status-inactive">
      Unknown
    </Box>
  );
}
