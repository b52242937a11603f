import Modal, { type ModalProps } from '@cloudscape-design/components/modal';
import { type ReactNode, useState } from 'react';
import { LeaveQuestion } from './leave-question';

interface Props {
  header: string;
  footer: ReactNode;
  /** Whether something would be lost that a person typed. */
  isTouched: boolean;
  children: ReactNode;
  onDismiss: () => void;
}

/** A dialog to type in: a click beside it leaves it open, and Escape asks once something was typed. */
export function TypedModal({ isTouched, onDismiss, ...shown }: Props) {
  const [asking, setAsking] = useState(false);
  const dismissed: ModalProps['onDismiss'] = ({ detail: { reason } }) => {
    if (reason === 'keyboard' && isTouched) {
      setAsking(true);
    } else if (reason !== 'overlay') {
      onDismiss();
    }
  };
  return (
    <>
      <Modal {...shown} visible={!asking} size="large" onDismiss={dismissed} />
      {asking && <LeaveQuestion title="Close this dialog?" onStay={() => setAsking(false)} onLeave={onDismiss} />}
    </>
  );
}
