import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';

interface Props {
  title: string;
  onStay: () => void;
  onLeave: () => void;
}

/** Asks before what was typed is lost. */
export function LeaveQuestion({ title, onStay, onLeave }: Props) {
  return (
    <Modal
      visible
      header={title}
      onDismiss={onStay}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button formAction="none" variant="link" onClick={onStay}>
              Stay
            </Button>
            <Button formAction="none" variant="primary" onClick={onLeave}>
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
