import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { wish } from '../../../api/wishes';
import { bound } from '../../../forms/bound';
import { TextField } from '../../../forms/fields';
import { PairsField } from '../../../forms/pairs-field';
import { named, type Pair, sent, touched } from '../../../forms/sending';
import { ChangeModal } from '../change/change-modal';

interface Draft {
  name?: string;
  labels?: readonly Pair[];
}

/** Makes a namespace in a cluster. */
export function NamespaceForm({ tag, onDismiss }: { tag: string; onDismiss: () => void }) {
  const [draft, setDraft] = useState<Draft>({});
  const of = bound(draft, (changed) => setDraft((known) => ({ ...known, ...changed })));
  const body = touched({ name: sent(draft.name), labels: named(draft.labels) }) ?? {};
  return (
    <ChangeModal
      title="Create namespace"
      action="Create namespace"
      wanted={wish('post', '/api/clusters/{tag}/namespaces', { path: { tag }, body })}
      fields={['name', 'labels']}
      onDismiss={onDismiss}
    >
      <SpaceBetween size="m">
        <TextField {...of('name')} label="Name" />
        <PairsField {...of('labels')} label="Labels" noun="label" />
      </SpaceBetween>
    </ChangeModal>
  );
}
