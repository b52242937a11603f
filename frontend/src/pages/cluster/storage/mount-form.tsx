import Autosuggest from '@cloudscape-design/components/autosuggest';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { useNamespaces } from '../../../api/cluster-parts';
import { useWhole } from '../../../api/listings';
import type { S3Mount } from '../../../api/schema';
import { type Touched, wish } from '../../../api/wishes';
import { useServerError } from '../../../components/server-field-errors';
import { DEFAULTS } from '../../../forms/defaults';
import { ChangeModal } from '../change/change-modal';

/** Mounts the bucket of a cluster under a name. */
export function MountForm({ tag, onDismiss }: { tag: string; onDismiss: () => void }) {
  const [touched, setTouched] = useState<Touched<S3Mount>>({});
  const touch = (fields: Touched<S3Mount>) => setTouched((known) => ({ ...known, ...fields }));
  return (
    <ChangeModal
      title="Create mount"
      action="Create mount"
      wanted={wish('post', '/api/clusters/{tag}/storage', { path: { tag }, body: touched })}
      fields={['name', 'namespace']}
      onDismiss={onDismiss}
    >
      <SpaceBetween size="m">
        <NameField value={touched.name ?? ''} onChange={(name) => touch({ name: name || undefined })} />
        <NamespaceField
          tag={tag}
          value={touched.namespace ?? ''}
          onChange={(namespace) => touch({ namespace: namespace || undefined })}
        />
      </SpaceBetween>
    </ChangeModal>
  );
}

interface FieldProps {
  value: string;
  onChange: (value: string) => void;
}

function NameField({ value, onChange }: FieldProps) {
  return (
    <FormField label="Name" description="By which pods claim it." errorText={useServerError('name')}>
      <Input
        value={value}
        placeholder={DEFAULTS.S3Mount.name}
        spellcheck={false}
        onChange={({ detail }) => onChange(detail.value)}
      />
    </FormField>
  );
}

function NamespaceField({ tag, value, onChange }: FieldProps & { tag: string }) {
  const namespaces = useWhole(useNamespaces(tag));
  return (
    <FormField label="Namespace" description="Of the pods that claim it." errorText={useServerError('namespace')}>
      <Autosuggest
        value={value}
        placeholder={DEFAULTS.S3Mount.namespace}
        options={namespaces.items.map(({ name }) => ({ value: name }))}
        enteredTextLabel={(text) => `Use "${text}"`}
        empty="No namespaces are known."
        onChange={({ detail }) => onChange(detail.value)}
      />
    </FormField>
  );
}
