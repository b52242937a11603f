import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { useNamespaces } from '../../../api/cluster-parts';
import { useWhole } from '../../../api/listings';
import { wish } from '../../../api/wishes';
import { bound } from '../../../forms/bound';
import { DEFAULTS } from '../../../forms/defaults';
import { SuggestedField, TextField } from '../../../forms/fields';
import { sent, touched } from '../../../forms/sending';
import { ChangeModal } from '../change/change-modal';

/** Mounts the bucket of a cluster under a name. */
export function MountForm({ tag, onDismiss }: { tag: string; onDismiss: () => void }) {
  const [draft, setDraft] = useState<{ name?: string; namespace?: string }>({});
  const of = bound(draft, (changed) => setDraft((known) => ({ ...known, ...changed })));
  const { items, isPending, error } = useWhole(useNamespaces(tag));
  const body = touched({ name: sent(draft.name), namespace: sent(draft.namespace) }) ?? {};
  return (
    <ChangeModal
      title="Create mount"
      action="Create mount"
      wanted={wish('post', '/api/clusters/{tag}/storage', { path: { tag }, body })}
      fields={['name', 'namespace']}
      onDismiss={onDismiss}
    >
      <SpaceBetween size="m">
        <TextField
          {...of('name')}
          label="Name"
          description="By which pods claim it."
          placeholder={DEFAULTS.S3Mount.name}
        />
        <SuggestedField
          {...of('namespace')}
          label="Namespace"
          description="Of the pods that claim it."
          placeholder={DEFAULTS.S3Mount.namespace}
          options={items.map(({ name }) => ({ value: name }))}
          isReading={isPending}
          note={error && `The namespaces could not be read: ${error.problem.detail}`}
        />
      </SpaceBetween>
    </ChangeModal>
  );
}
