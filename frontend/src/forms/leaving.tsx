import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useEffect, useRef } from 'react';
import { useBlocker } from 'react-router';

/** Asks before what was typed is left behind; `leave` lets the page be left without asking. */
export function useLeaving(isTouched: boolean) {
  const free = useRef(false);
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isTouched && !free.current && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!isTouched) {
      return;
    }
    const ask = (event: BeforeUnloadEvent) => {
      if (!free.current) {
        event.preventDefault();
      }
    };
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isTouched]);
  return {
    leave: () => {
      free.current = true;
    },
    question: blocker.state === 'blocked' && <Question onStay={blocker.reset} onLeave={blocker.proceed} />,
  };
}

function Question({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  return (
    <Modal
      visible
      header="Leave this page?"
      onDismiss={onStay}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={onStay}>
              Stay
            </Button>
            <Button variant="primary" onClick={onLeave}>
              Leave
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      What you typed is not kept.
    </Modal>
  );
}
