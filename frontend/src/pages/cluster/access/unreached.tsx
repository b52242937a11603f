import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { ProblemBody } from '../../../api/schema';
import { NotRead } from '../../../components/not-read';
import { ConnectionSteps } from './connection-steps';

interface Props {
  tag: string;
  title: string;
  problem: ProblemBody;
  onRetry: () => void;
}

/** What stands where a cluster does not let itself be asked: why, and a test of the connection step by step. */
export function Unreached({ tag, title, problem, onRetry }: Props) {
  const [testing, setTesting] = useState(false);
  return (
    <Container header={<Header>{title}</Header>}>
      <SpaceBetween size="m">
        <NotRead problem={problem} onRetry={onRetry} />
        {testing ? (
          <ConnectionSteps tag={tag} />
        ) : (
          <Button onClick={() => setTesting(true)}>Test the connection</Button>
        )}
      </SpaceBetween>
    </Container>
  );
}
