import AttributeEditor from '@cloudscape-design/components/attribute-editor';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { wish } from '../../../api/wishes';
import { useServerError } from '../../../components/server-field-errors';
import { ChangeModal } from '../change/change-modal';
import type { ClusterProps } from '../tab-list';
import { type Settings, settingsOf, touchedOf } from './settings';

/** Changes who may change a cluster and its company tags. */
export function SettingsForm({ cluster, onDismiss }: ClusterProps & { onDismiss: () => void }) {
  const { tag, spec } = cluster;
  // What others change meanwhile is for the preview to show, not for the form to lose.
  const [first] = useState(() => settingsOf(spec));
  const [settings, setSettings] = useState(first);
  return (
    <ChangeModal
      title="Edit owners and tags"
      action="Save"
      wanted={wish('patch', '/api/clusters/{tag}', { path: { tag }, body: touchedOf(first, settings) })}
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
    <FormField
      label="Owner groups"
      description="Groups whose members may change the cluster. Without any, everybody who may operate clusters does."
      errorText={useServerError('owner_groups')}
      stretch
    >
      <AttributeEditor
        items={owners}
        addButtonText="Add a group"
        removeButtonText="Remove"
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
    </FormField>
  );
}

function Tags({ settings, onChange }: Props) {
  const { tags } = settings;
  const put = (changed: Settings['tags']) => onChange({ ...settings, tags: changed });
  return (
    <FormField
      label="Company tags"
      description="Go onto all that is made for the cluster, beside the deployment's own."
      errorText={useServerError('company_tags')}
      stretch
    >
      <AttributeEditor
        items={tags}
        addButtonText="Add a tag"
        removeButtonText="Remove"
        empty="No tags."
        onAddButtonClick={() => put([...tags, { key: '', value: '' }])}
        onRemoveButtonClick={({ detail }) => put(tags.filter((_, index) => index !== detail.itemIndex))}
        definition={[
          {
            label: 'Key',
            control: (row, index) => (
              <Input value={row.key} onChange={({ detail }) => put(tags.with(index, { ...row, key: detail.value }))} />
            ),
          },
          {
            label: 'Value',
            control: (row, index) => (
              <Input
                value={row.value}
                onChange={({ detail }) => put(tags.with(index, { ...row, value: detail.value }))}
              />
            ),
          },
        ]}
      />
    </FormField>
  );
}
