import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useEffect, useRef } from 'react';
import type { Preview, Previewed } from '../../../api/schema';
import { Findings } from '../../../components/findings';
import { Outdated } from '../../../components/outdated';
import { PreviewTable } from '../../../components/preview-table';
import { partsOf } from './preview-parts';
import type { ChangeState } from './use-change';

interface Props {
  change: ChangeState;
  /** Whether what is left alone stands apart: of a deletion that is half of what one wants to know. */
  parted?: boolean;
  /** Whether the focus goes to what was found: a person pressed a button to see it. */
  takesFocus?: boolean;
}

/** What a wish would come to: what is in the way, what would be done, what is left alone, and what it costs. */
export function Seen({ change, parted = false, takesFocus = false }: Props) {
  const { previewed, overtaken, isPreviewing } = change;
  const found = useRef<HTMLDivElement>(null);
  const arrived = previewed?.preview.expires_at ?? previewed?.findings.length;
  useEffect(() => {
    if (takesFocus && arrived !== undefined) {
      found.current?.focus();
    }
  }, [takesFocus, arrived]);
  if (isPreviewing && !previewed) {
    return (
      <Box padding="s">
        <Spinner /> Looking at what this would change
      </Box>
    );
  }
  return previewed ? (
    <div ref={found} tabIndex={-1}>
      <SpaceBetween size="m">
        {overtaken && <Outdated before={overtaken} after={previewed.preview} />}
        <Found previewed={previewed} parted={parted} />
      </SpaceBetween>
    </div>
  ) : null;
}

function Found({ previewed: { findings, preview }, parted }: { previewed: Previewed; parted: boolean }) {
  return (
    <SpaceBetween size="m">
      {findings.length > 0 && <Findings findings={findings} />}
      {parted ? <Parted preview={preview} /> : <PreviewTable preview={preview} />}
    </SpaceBetween>
  );
}

function Parted({ preview }: { preview: Preview }) {
  const { done, kept } = partsOf(preview);
  return (
    <>
      <PreviewTable preview={done} title="What is destroyed or changed" />
      {kept.changes.length > 0 && <PreviewTable preview={kept} title="What is kept" />}
    </>
  );
}
