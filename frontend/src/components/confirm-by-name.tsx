import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import { TypedModal } from './typed-modal';

interface Props {
  title: string;
  /** What has to be typed. */
  name: string;
  /** What the button says: what will be done. */
  action: string;
  busy?: boolean;
  /** What will be lost: a preview, findings, problems. */
  children: ReactNode;
  onConfirm: (name: string) => void;
  onDismiss: () => void;
}

/** Asks for the name of what is about to be destroyed. */
export function ConfirmByName({ title, name, action, busy = false, children, onConfirm, onDismiss }: Props) {
  const [typed, setTyped] = useState('');
  const matches = typed.trim() === name;
  return (
    <TypedModal
      header={title}
      isTouched={typed !== ''}
      onDismiss={onDismiss}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={onDismiss}>
              Leave it
            </Button>
            <Button variant="primary" disabled={!matches} loading={busy} onClick={() => onConfirm(name)}>
              {action}
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="m">
        {children}
        <FormField label={<>To confirm, type {<span className="value">{name}</span>}</>}>
          <Input
            value={typed}
            autoComplete={false}
            spellcheck={false}
            onChange={({ detail }) => setTyped(detail.value)}
          />
        </FormField>
      </SpaceBetween>
    </TypedModal>
  );
}
