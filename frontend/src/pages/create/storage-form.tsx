import ColumnLayout from '@cloudscape-design/components/column-layout';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Toggle from '@cloudscape-design/components/toggle';
import { bound } from '../../forms/bound';
import { DEFAULTS } from '../../forms/defaults';
import { Field } from '../../forms/field';
import { TextField } from '../../forms/fields';
import { Section } from '../../forms/section';
import type { StorageDraft } from './draft';
import { STORAGE_FIELDS } from './request';

interface Props {
  draft: StorageDraft;
  onChange: (draft: StorageDraft) => void;
}

/** Whether the cluster's bucket is mounted, and under which name pods claim it. */
export function StorageForm({ draft, onChange }: Props) {
  const of = bound(draft, (changed) => onChange({ ...draft, ...changed }), 'storage');
  return (
    <Container header={<Header variant="h2">Storage</Header>}>
      <SpaceBetween size="m">
        <Field
          field="storage"
          label="S3 mount"
          description="The cluster's bucket as a volume that pods claim by name."
          value={draft}
        >
          <Toggle checked={draft.mounted} onChange={({ detail }) => onChange({ ...draft, mounted: detail.checked })}>
            Mount the bucket
          </Toggle>
        </Field>
        {draft.mounted && (
          <Section title="Name of the mount" fields={STORAGE_FIELDS}>
            <ColumnLayout columns={2}>
              <TextField {...of('name')} label="Name" optional placeholder={DEFAULTS.S3Mount.name} />
              <TextField {...of('namespace')} label="Namespace" optional placeholder={DEFAULTS.S3Mount.namespace} />
            </ColumnLayout>
          </Section>
        )}
      </SpaceBetween>
    </Container>
  );
}
