import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { useDeployment } from '../../../api/api-context';
import type { QuotaView } from '../../../api/schema';
import { CopyableCommand } from '../../../components/copyable-command';
import { increase } from './nearness';

/** How to ask AWS for more of a quota. */
export function AskForMore({ quota }: { quota: QuotaView }) {
  const [isOpen, setOpen] = useState(false);
  const { name, code } = quota;
  if (code === null) {
    return <>AWS has no code for it: ask AWS Support</>;
  }
  return (
    <>
      <Button wrapText={false} onClick={() => setOpen(true)} ariaLabel={`Ask for more of: ${name}`}>
        Ask for more
      </Button>
      {isOpen && <Asking quota={{ ...quota, code }} onClose={() => setOpen(false)} />}
    </>
  );
}

function Asking({ quota, onClose }: { quota: QuotaView & { code: string }; onClose: () => void }) {
  const { region } = useDeployment().configuration;
  const [wanted, setWanted] = useState(String((quota.value ?? quota.used ?? 0) + 1));
  const number = Number(wanted);
  return (
    <Modal
      visible
      size="large"
      header={<bdi>{quota.name}</bdi>}
      onDismiss={onClose}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <SpaceBetween size="m">
        <FormField
          label="How much it should be"
          description={quota.value === null ? undefined : `It is ${quota.value}.`}
        >
          <Input type="number" inputMode="numeric" value={wanted} onChange={({ detail }) => setWanted(detail.value)} />
        </FormField>
        {number > 0 && (
          <CopyableCommand command={increase(quota, number, region)} label="the request for an increase" />
        )}
      </SpaceBetween>
    </Modal>
  );
}
