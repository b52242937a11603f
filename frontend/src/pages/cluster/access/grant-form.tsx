import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { GrantAccess } from '../../../api/schema';
import { type Touched, wish } from '../../../api/wishes';
import { sentence } from '../../../components/words';
import { bound } from '../../../forms/bound';
import { CheckboxField, ChosenField, TextField } from '../../../forms/fields';
import { ChangeModal } from '../change/change-modal';
import { NamespacesField } from './namespaces-field';

type Permission = GrantAccess['permission'];
const PERMISSIONS = (['view', 'edit', 'admin', 'cluster_admin'] satisfies Permission[]).map((value) => ({
  value,
  label: sentence(value),
}));

/** Lets a role or user into a cluster, or some of its namespaces. */
export function GrantForm({ tag, onDismiss }: { tag: string; onDismiss: () => void }) {
  const [touched, setTouched] = useState<Touched<GrantAccess>>({});
  const touch = (fields: Touched<GrantAccess>) => setTouched((known) => ({ ...known, ...fields }));
  const of = bound(touched, touch);
  return (
    <ChangeModal
      title="Grant access"
      action="Grant access"
      wanted={wish('post', '/api/clusters/{tag}/access', { path: { tag }, body: touched })}
      fields={['principal_arn', 'permission', 'namespaces', 'take_over']}
      onDismiss={onDismiss}
    >
      <SpaceBetween size="m">
        <TextField
          {...of('principal_arn')}
          label="Role or user"
          description="The ARN of an IAM role (with its path) or user."
          placeholder="arn:aws:iam::111122223333:role/name"
        />
        <ChosenField
          {...of('permission')}
          label="Permission"
          options={PERMISSIONS}
          placeholder="Choose what they may do"
        />
        <NamespacesField
          tag={tag}
          chosen={touched.namespaces ?? []}
          onChange={(namespaces) => touch({ namespaces: namespaces.length > 0 ? namespaces : undefined })}
        />
        <CheckboxField
          {...of('take_over')}
          words="Change an entry that somebody else made"
          meaning="Without this, an entry that was not made here is left alone."
        />
      </SpaceBetween>
    </ChangeModal>
  );
}
