import Multiselect from '@cloudscape-design/components/multiselect';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { AccessView } from '../../../api/schema';
import { wish } from '../../../api/wishes';
import { Field } from '../../../forms/field';
import { CheckboxField } from '../../../forms/fields';
import { ChangeModal } from '../change/change-modal';
import { namespacesOf } from './grants';

interface Props {
  tag: string;
  entry: AccessView;
  onDismiss: () => void;
}

/** Takes a principal's access back: all of it, or what it was granted in some namespaces. */
export function RevokeForm({ tag, entry, onDismiss }: Props) {
  const { principal_arn } = entry;
  const [namespaces, setNamespaces] = useState<readonly string[]>([]);
  const [takeOver, setTakeOver] = useState(false);
  const query = {
    principal_arn,
    ...(namespaces.length > 0 && { namespaces: namespaces.join(',') }),
    ...(takeOver && { take_over: true }),
  };
  return (
    <ChangeModal
      title="Revoke access"
      action="Revoke access"
      auto
      wanted={wish('delete', '/api/clusters/{tag}/access', { path: { tag }, query })}
      fields={['namespaces', 'take_over']}
      onDismiss={onDismiss}
    >
      <SpaceBetween size="m">
        <div className="value">{principal_arn}</div>
        {namespacesOf(entry).length > 0 && (
          <OnlyIn known={namespacesOf(entry)} chosen={namespaces} onChange={setNamespaces} />
        )}
        <CheckboxField
          field="take_over"
          value={takeOver}
          onChange={setTakeOver}
          words="Also when somebody else made the entry"
        />
      </SpaceBetween>
    </ChangeModal>
  );
}

interface OnlyInProps {
  known: readonly string[];
  chosen: readonly string[];
  onChange: (namespaces: readonly string[]) => void;
}

function OnlyIn({ known, chosen, onChange }: OnlyInProps) {
  const options = known.map((name) => ({ value: name, label: name }));
  return (
    <Field field="namespaces" label="Only in" description="Without any, all of it.">
      <Multiselect
        placeholder="All of it"
        selectedOptions={options.filter(({ value }) => chosen.includes(value))}
        options={options}
        onChange={({ detail }) => onChange(detail.selectedOptions.flatMap(({ value }) => value ?? []))}
      />
    </Field>
  );
}
