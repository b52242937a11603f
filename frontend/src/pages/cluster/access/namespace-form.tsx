import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { wish } from '../../../api/wishes';
import { useServerError } from '../../../components/server-field-errors';
import { PairsField } from '../../../forms/pairs-field';
import { named, type Pair, touched } from '../../../forms/sending';
import { ChangeModal } from '../change/change-modal';

/** Makes a namespace in a cluster. */
export function NamespaceForm({ tag, onDismiss }: { tag: string; onDismiss: () => void }) {
  const [name, setName] = useState<string>();
  const [labels, setLabels] = useState<readonly Pair[]>([]);
  const body = touched({ name, labels: named(labels) }) ?? {};
  return (
    <ChangeModal
      title="Create namespace"
      action="Create namespace"
      wanted={wish('post', '/api/clusters/{tag}/namespaces', { path: { tag }, body })}
      fields={['name', 'labels']}
      onDismiss={onDismiss}
    >
      <SpaceBetween size="m">
        <NameField value={name ?? ''} onChange={setName} />
        <PairsField field="labels" label="Labels" noun="label" pairs={labels} onChange={setLabels} />
      </SpaceBetween>
    </ChangeModal>
  );
}

function NameField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <FormField label="Name" errorText={useServerError('name')}>
      <Input value={value} spellcheck={false} onChange={({ detail }) => onChange(detail.value)} />
    </FormField>
  );
}
