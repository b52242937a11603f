import AttributeEditor from '@cloudscape-design/components/attribute-editor';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { wish } from '../../../api/wishes';
import { useServerError } from '../../../components/server-field-errors';
import { ChangeModal } from '../change/change-modal';
import { type LabelRow, labelsOf } from './labels';

/** Makes a namespace in a cluster. */
export function NamespaceForm({ tag, onDismiss }: { tag: string; onDismiss: () => void }) {
  const [name, setName] = useState<string>();
  const [labels, setLabels] = useState<readonly LabelRow[]>([]);
  const named = labelsOf(labels);
  const body = { ...(name !== undefined && { name }), ...(named && { labels: named }) };
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
        <LabelsField rows={labels} onChange={setLabels} />
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

interface LabelsProps {
  rows: readonly LabelRow[];
  onChange: (rows: readonly LabelRow[]) => void;
}

function LabelsField({ rows, onChange }: LabelsProps) {
  const put = (index: number, changed: Partial<LabelRow>) => {
    onChange(rows.map((row, each) => (each === index ? { ...row, ...changed } : row)));
  };
  return (
    <FormField label={<>Labels (optional)</>} errorText={useServerError('labels')} stretch>
      <AttributeEditor
        items={rows}
        addButtonText="Add a label"
        removeButtonText="Remove"
        empty="No labels."
        onAddButtonClick={() => onChange([...rows, { key: '', value: '' }])}
        onRemoveButtonClick={({ detail }) => onChange(rows.filter((_, index) => index !== detail.itemIndex))}
        definition={[
          {
            label: 'Key',
            control: ({ key }, index) => (
              <Input value={key} spellcheck={false} onChange={({ detail }) => put(index, { key: detail.value })} />
            ),
          },
          {
            label: 'Value',
            control: ({ value }, index) => (
              <Input value={value} spellcheck={false} onChange={({ detail }) => put(index, { value: detail.value })} />
            ),
          },
        ]}
      />
    </FormField>
  );
}
