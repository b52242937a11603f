import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Spinner from '@cloudscape-design/components/spinner';
import { problemIn } from '../api/problems';
import { ProblemAlert } from '../components/problem-alert';

/** What is seen until the console knows its deployment. */
export function Starting() {
  return (
    <main>
      <Box textAlign="center" padding="xxxl">
        <Spinner size="large" />
        <Box variant="p">Starting the console</Box>
      </Box>
    </main>
  );
}

/** Why the console cannot start. */
export function StartFailure({ thrown }: { thrown: unknown }) {
  return (
    <main>
      <Box padding="xxxl">
        <ProblemAlert
          problem={problemIn(thrown)}
          action={<Button onClick={() => window.location.assign('/')}>Start again</Button>}
        />
      </Box>
    </main>
  );
}
