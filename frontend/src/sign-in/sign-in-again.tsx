import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { SignInConfiguration } from '../api/configuration';
import { signInBeside } from './journey';
import type { Session } from './session';
import { useSessionState } from './sign-in-context';

/** Asks for a new sign-in when the old one has ended; the page behind stays as it is. */
export function SignInAgain({ session, configuration }: { session: Session; configuration: SignInConfiguration }) {
  const state = useSessionState(session);
  const [failure, setFailure] = useState<string | null>(null);
  const signIn = () => {
    setFailure(null);
    signInBeside(configuration).then(
      (tokens) => session.signedIn(tokens),
      (thrown: unknown) => setFailure(thrown instanceof Error ? thrown.message : String(thrown)),
    );
  };
  if (state !== 'expired') {
    return null;
  }
  return (
    <Modal
      visible
      header="Your sign-in has ended"
      footer={
        <Box float="right">
          <Button variant="primary" iconName="external" iconAlign="right" onClick={signIn}>
            Sign in again
          </Button>
        </Box>
      }
    >
      <SpaceBetween size="s">
        <Box>
          Sign in again in a new window. This page stays as it is, and what it was about to send is then sent. Where
          somebody else signs in, nothing is sent, and the page begins anew.
        </Box>
        {failure !== null && <Alert type="error">{failure}</Alert>}
      </SpaceBetween>
    </Modal>
  );
}
