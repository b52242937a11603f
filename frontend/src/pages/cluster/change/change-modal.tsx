import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import type { Wish } from '../../../api/wishes';
import { TypedModal } from '../../../components/typed-modal';
import { ChangeFields } from './change-fields';
import { Seen } from './seen';
import { useBegun } from './use-begun';
import { type ChangeState, useChange } from './use-change';

interface Props {
  title: string;
  /** What the button says: what will be done. */
  action: string;
  wanted: Wish;
  /** Whether there is nothing to fill in: what it would come to is shown at once. */
  auto?: boolean;
  /** The fields that the form shows, by the API's names. */
  fields?: readonly string[];
  children?: ReactNode;
  onDismiss: () => void;
}

/** A small change: its form, what it would come to, and its beginning. */
export function ChangeModal({ title, action, wanted, auto = false, fields = [], children, onDismiss }: Props) {
  const [untouched] = useState(wanted);
  const change = useChange({ wanted, auto, onBegun: useBegun(onDismiss) });
  return (
    <TypedModal
      header={title}
      isTouched={JSON.stringify(wanted) !== JSON.stringify(untouched)}
      onDismiss={onDismiss}
      footer={<Footer change={change} action={action} auto={auto} onDismiss={onDismiss} />}
    >
      <SpaceBetween size="l">
        <ChangeFields change={change} fields={fields} takesFocus={!auto}>
          {children}
        </ChangeFields>
        <Seen change={change} takesFocus={!auto} />
      </SpaceBetween>
    </TypedModal>
  );
}

function Footer({
  change,
  action,
  auto,
  onDismiss,
}: { change: ChangeState } & Pick<Props, 'action' | 'auto' | 'onDismiss'>) {
  const { previewed, isPreviewing, isBeginning } = change;
  return (
    <Box float="right">
      <SpaceBetween direction="horizontal" size="xs">
        <Button variant="link" onClick={onDismiss}>
          Cancel
        </Button>
        {!auto && (
          <Button
            variant={previewed ? 'normal' : 'primary'}
            disabled={isBeginning}
            loading={isPreviewing}
            onClick={change.preview}
          >
            Preview
          </Button>
        )}
        {(auto || previewed) && (
          <Button
            variant="primary"
            disabled={!previewed?.preview.digest}
            disabledReason="Something stands in the way."
            loading={isBeginning}
            onClick={change.begin}
          >
            {action}
          </Button>
        )}
      </SpaceBetween>
    </Box>
  );
}
