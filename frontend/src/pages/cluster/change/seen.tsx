import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useEffect, useRef } from 'react';
import type { Change, Preview, Previewed } from '../../../api/schema';
import { Findings } from '../../../components/findings';
import { PreviewTable } from '../../../components/preview-table';
import { sentence } from '../../../components/words';
import { differenceOf, partsOf } from './preview-difference';
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
        {overtaken && <Overtaken earlier={overtaken} now={previewed.preview} />}
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

function Overtaken({ earlier, now }: { earlier: Preview; now: Preview }) {
  const { appeared, gone } = differenceOf(earlier, now);
  return (
    <Alert type="warning" header="Something changed since you looked">
      <SpaceBetween size="xs">
        <div>Nothing was begun. Look at what would happen now, then confirm that.</div>
        {appeared.length + gone.length === 0 && (
          <div>The same changes would be made, but what they were decided by is not what it was.</div>
        )}
        <Changes title="New" changes={appeared} />
        <Changes title="No longer" changes={gone} />
      </SpaceBetween>
    </Alert>
  );
}

const FEW = 20;

function Changes({ title, changes }: { title: string; changes: readonly Change[] }) {
  if (changes.length === 0) {
    return null;
  }
  return (
    <div>
      <strong>{title}</strong>
      <ul>
        {changes.slice(0, FEW).map(({ action, resource, name }) => (
          <li key={`${action} ${resource} ${name}`} className="value">
            {sentence(action)} {resource} {name}
          </li>
        ))}
        {changes.length > FEW && <li>and {changes.length - FEW} more</li>}
      </ul>
    </div>
  );
}
