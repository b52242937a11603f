import AttributeEditor from '@cloudscape-design/components/attribute-editor';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { wish } from '../../../api/wishes';
import { Field } from '../../../forms/field';
import { PairsField } from '../../../forms/pairs-field';
import { ChangeModal } from '../change/change-modal';
import type { ClusterProps } from '../tab-list';
import { type Settings, settingsOf, touchedOf } from './settings';

/** Changes who may change a cluster and its company tags. */
export function SettingsForm({ cluster, onDismiss }: ClusterProps & { onDismiss: () => void }) {
  const { tag, spec } = cluster;
  // What others change meanwhile does not move the rows under a person's hands; the edits are made to it all the same.
  const [first] = useState(() => settingsOf(spec));
  const [settings, setSettings] = useState(first);
  return (
    <ChangeModal
      title="Edit owners and tags"
      action="Save"
      wanted={wish('patch', '/api/clusters/{tag}', { path: { tag }, body: touchedOf(first, settings, spec) })}
      fields={['owner_groups', 'company_tags']}
      onDismiss={onDismiss}
    >
      <SpaceBetween size="l">
        <Owners settings={settings} onChange={setSettings} />
        <Tags settings={settings} onChange={setSettings} />
      </SpaceBetween>
    </ChangeModal>
  );
}

interface Props {
  settings: Settings;
  onChange: (settings: Settings) => void;
}

function Owners({ settings, onChange }: Props) {
  const { owners } = settings;
  const put = (changed: readonly string[]) => onChange({ ...settings, owners: changed });
  return (
    <Field
      field="owner_groups"
      label="Owner groups"
      optional
      description="Groups whose members may change the cluster. Without any, everybody who may operate clusters does."
      stretch
      value={owners}
    >
      <AttributeEditor
        items={owners}
        addButtonText="Add a group"
        removeButtonText="Remove"
        removeButtonAriaLabel={(owner) => `Remove group ${owner}`}
        empty="No groups."
        onAddButtonClick={() => put([...owners, ''])}
        onRemoveButtonClick={({ detail }) => put(owners.filter((_, index) => index !== detail.itemIndex))}
        definition={[
          {
            label: 'Group',
            control: (owner, index) => (
              <Input value={owner} onChange={({ detail }) => put(owners.with(index, detail.value))} />
            ),
          },
        ]}
      />
    </Field>
  );
}

function Tags({ settings, onChange }: Props) {
  return (
    <PairsField
      field="company_tags"
      label="Company tags"
      description="Go onto all that is made for the cluster, beside the deployment's own."
      noun="tag"
      value={settings.tags}
      onChange={(tags) => onChange({ ...settings, tags })}
    />
  );
}
