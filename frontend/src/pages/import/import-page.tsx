import ColumnLayout from '@cloudscape-design/components/column-layout';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { useImportableClusters } from '../../api/catalog';
import { useWhole } from '../../api/listings';
import { wish } from '../../api/wishes';
import { PageFrame } from '../../application/page-frame';
import { bound } from '../../forms/bound';
import { SuggestedField, TextField } from '../../forms/fields';
import { FormPage } from '../../forms/form-page';
import { Ownership } from '../../forms/ownership';
import { Section } from '../../forms/section';
import { ConsentsForm } from './consents-form';
import { Importable } from './importable';
import { FIELDS, type ImportDraft, importRequest, newImport } from './request';

/** An EKS cluster that somebody else made: looked at, and then taken in. */
export function Component() {
  const [begun] = useState(newImport);
  const [draft, setDraft] = useState<ImportDraft>(begun);
  const change = (changed: Partial<ImportDraft>) => setDraft((before) => ({ ...before, ...changed }));
  return (
    <PageFrame
      title="Import a cluster"
      description="An EKS cluster that somebody else made, with the HyperPod cluster that runs on it. It is read, and changed only as far as you consent."
      above={[]}
    >
      <FormPage
        wish={() => wish('post', '/api/clusters/import', { body: importRequest(draft) })}
        fields={FIELDS.all}
        isTouched={draft !== begun}
        look="Test and review"
        action="Import cluster"
        from="/"
      >
        <Which draft={draft} onChange={change} />
        <ConsentsForm consents={draft.consents} onChange={(consents) => change({ consents })} />
        <Details draft={draft} onChange={change} />
        <Ownership draft={draft} onChange={change} />
      </FormPage>
    </PageFrame>
  );
}

interface Props {
  draft: ImportDraft;
  onChange: (changed: Partial<ImportDraft>) => void;
}

function Which({ draft, onChange }: Props) {
  const of = bound(draft, onChange);
  const { items, isPending, error } = useWhole(useImportableClusters());
  return (
    <Container header={<Header variant="h2">EKS cluster</Header>}>
      <SpaceBetween size="l">
        <Importable onChoose={(eks_cluster_name) => onChange({ eks_cluster_name })} />
        <ColumnLayout columns={2}>
          <SuggestedField
            {...of('eks_cluster_name')}
            label="Name of the EKS cluster"
            options={items.map(({ name, status }) => ({ value: name, description: status ?? undefined }))}
            isReading={isPending}
            note={error && `The clusters could not be listed: ${error.problem.detail}`}
            placeholder="Choose one, or type its name"
          />
          <TextField
            {...of('tag')}
            label="Tag"
            optional
            description="The short name it gets here."
            placeholder="Made of its name, or made up"
          />
        </ColumnLayout>
      </SpaceBetween>
    </Container>
  );
}

function Details({ draft, onChange }: Props) {
  const of = bound(draft, onChange);
  return (
    <Section
      variant="container"
      title="HyperPod cluster, role and bucket"
      description="Found by themselves where they exist; to be named for what is yet to be created."
      fields={FIELDS.details}
    >
      <ColumnLayout columns={2}>
        <TextField {...of('hyperpod_cluster_name')} label="Name of the HyperPod cluster" optional />
        <TextField
          {...of('execution_role_arn')}
          label="Role that the instances run with"
          optional
          placeholder="arn:aws:iam::…:role/…"
        />
        <TextField {...of('bucket')} label="Bucket for lifecycle scripts and data" optional placeholder="sagemaker-…" />
      </ColumnLayout>
    </Section>
  );
}
