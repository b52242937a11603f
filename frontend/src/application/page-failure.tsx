import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import { useRouteError } from 'react-router';
import { problemIn } from '../api/problems';
import { ProblemAlert } from '../components/problem-alert';

/** What stands in the place of a page that failed; the rest of the console goes on. */
export function PageFailure() {
  const thrown = useRouteError();
  return (
    <Box padding="l">
      <ProblemAlert
        problem={problemIn(thrown)}
        action={<Button onClick={() => window.location.reload()}>Reload</Button>}
      />
    </Box>
  );
}
