import Checkbox from '@cloudscape-design/components/checkbox';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Select, { type SelectProps } from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { GrantAccess } from '../../../api/schema';
import { type Touched, wish } from '../../../api/wishes';
import { useServerError } from '../../../components/server-field-errors';
import { sentence } from '../../../components/words';
import { ChangeModal } from '../change/change-modal';
import { NamespacesField } from './namespaces-field';

type Permission = GrantAccess['permission'];
const PERMISSIONS: readonly Permission[] = ['view', 'edit', 'admin', 'cluster_admin'];

/** Lets a role or user into a cluster, or some of its namespaces. */
export function GrantForm({ tag, onDismiss }: { tag: string; onDismiss: () => void }) {
  const [touched, setTouched] = useState<Touched<GrantAccess>>({});
  const touch = (fields: Touched<GrantAccess>) => setTouched((known) => ({ ...known, ...fields }));
  return (
    <ChangeModal
      title="Grant access"
      action="Grant access"
      wanted={wish('post', '/api/clusters/{tag}/access', { path: { tag }, body: touched })}
      fields={['principal_arn', 'permission', 'namespaces', 'take_over']}
      onDismiss={onDismiss}
    >
      <SpaceBetween size="m">
        <PrincipalField value={touched.principal_arn ?? ''} onChange={(principal_arn) => touch({ principal_arn })} />
        <PermissionField value={touched.permission} onChange={(permission) => touch({ permission })} />
        <NamespacesField
          tag={tag}
          chosen={touched.namespaces ?? []}
          onChange={(namespaces) => touch({ namespaces: namespaces.length > 0 ? namespaces : undefined })}
        />
        <TakeOverField checked={touched.take_over ?? false} onChange={(take_over) => touch({ take_over })} />
      </SpaceBetween>
    </ChangeModal>
  );
}

function PrincipalField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <FormField
      label="Role or user"
      description="The ARN of an IAM role (with its path) or user."
      errorText={useServerError('principal_arn')}
    >
      <Input
        value={value}
        placeholder="arn:aws:iam::111122223333:role/name"
        spellcheck={false}
        onChange={({ detail }) => onChange(detail.value)}
      />
    </FormField>
  );
}

interface PermissionProps {
  value: Permission | undefined;
  onChange: (value: Permission) => void;
}

function PermissionField({ value, onChange }: PermissionProps) {
  const options: SelectProps.Option[] = PERMISSIONS.map((each) => ({ value: each, label: sentence(each) }));
  return (
    <FormField label="Permission" errorText={useServerError('permission')}>
      <Select
        selectedOption={options.find((option) => option.value === value) ?? null}
        placeholder="Choose what they may do"
        options={options}
        onChange={({ detail }) => onChange(detail.selectedOption.value as Permission)}
      />
    </FormField>
  );
}

function TakeOverField({ checked, onChange }: { checked: boolean; onChange: (checked: boolean) => void }) {
  return (
    <FormField errorText={useServerError('take_over')}>
      <Checkbox
        checked={checked}
        onChange={({ detail }) => onChange(detail.checked)}
        description="Without this, an entry that was not made here is left alone."
      >
        Change an entry that somebody else made
      </Checkbox>
    </FormField>
  );
}
