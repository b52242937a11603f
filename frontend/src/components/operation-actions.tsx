import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { useBegin } from '../api/changing';
import { hasEnded } from '../api/operations';
import type { Operation } from '../api/schema';
import { wish } from '../api/wishes';
import { ProblemAlert } from './problem-alert';

interface Props {
  operation: Operation;
  onRetried?: (operation: Operation) => void;
}

/** What a person can do about an operation: cancel one that goes on, retry one that failed. */
export function OperationActions({ operation, onRetried }: Props) {
  if (!hasEnded(operation)) {
    return <Cancel operation={operation} />;
  }
  return operation.status === 'SUCCEEDED' ? null : <Retry operation={operation} onRetried={onRetried} />;
}

function Retry({ operation, onRetried }: Props) {
  const { begin, isPending, error } = useBegin(onRetried);
  const path = { operation_id: operation.operation_id };
  return (
    <SpaceBetween size="xs">
      <Button
        variant="primary"
        loading={isPending}
        onClick={() => begin({ wish: wish('post', '/api/operations/{operation_id}/retry', { path }) })}
      >
        Retry
      </Button>
      {error && <ProblemAlert problem={error.problem} />}
    </SpaceBetween>
  );
}

function Cancel({ operation }: Props) {
  const [asking, setAsking] = useState(false);
  const { begin, isPending, error } = useBegin(() => setAsking(false));
  const path = { operation_id: operation.operation_id };
  return (
    <>
      <Button disabled={operation.status === 'CANCELLING'} onClick={() => setAsking(true)}>
        Cancel operation
      </Button>
      <Modal
        visible={asking}
        header="Cancel this operation?"
        onDismiss={() => setAsking(false)}
        footer={
          <Box float="right">
            <SpaceBetween direction="horizontal" size="xs">
              <Button variant="link" onClick={() => setAsking(false)}>
                Let it go on
              </Button>
              <Button
                variant="primary"
                loading={isPending}
                onClick={() => begin({ wish: wish('post', '/api/operations/{operation_id}/cancel', { path }) })}
              >
                Cancel it
              </Button>
            </SpaceBetween>
          </Box>
        }
      >
        <SpaceBetween size="s">
          <Box>
            It stops after what its stages are doing now. What stands already stays, and a retry goes on from there.
          </Box>
          {error && <ProblemAlert problem={error.problem} />}
        </SpaceBetween>
      </Modal>
    </>
  );
}
