import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Tiles from '@cloudscape-design/components/tiles';
import { useState } from 'react';
import { wish } from '../../api/wishes';
import { PageFrame } from '../../application/page-frame';
import { bound } from '../../forms/bound';
import { Field } from '../../forms/field';
import { TextField } from '../../forms/fields';
import { FormPage } from '../../forms/form-page';
import { fieldInForm } from '../../forms/groups/hyperpod-draft';
import { HyperPodForm } from '../../forms/groups/hyperpod-form';
import { Ownership } from '../../forms/ownership';
import { type ClusterDraft, newCluster } from './draft';
import { FoundationForm } from './foundation-form';
import { clusterFields, clusterRequest } from './request';
import { StorageForm } from './storage-form';

/** The product's main job: a cluster by a form, looked at before it is begun. */
export function Component() {
  const [begun] = useState(newCluster);
  const [draft, setDraft] = useState<ClusterDraft>(begun);
  const change = (changed: Partial<ClusterDraft>) => setDraft((before) => ({ ...before, ...changed }));
  return (
    <PageFrame
      title="Create a cluster"
      description="A zone, an instance type and a count are enough. You see what it changes and costs before anything is made."
      above={[]}
    >
      <FormPage
        wish={() => wish('post', '/api/clusters', { body: clusterRequest(draft) })}
        fields={clusterFields(draft)}
        inForm={fieldInForm('hyperpod', draft.hyperpod)}
        groups={draft.hyperpod.groups}
        isTouched={draft !== begun}
        action="Create cluster"
        from="/"
      >
        <Basics draft={draft} onChange={change} />
        {!draft.foundationOnly && (
          <Container header={<Header variant="h2">HyperPod cluster</Header>}>
            <HyperPodForm at="hyperpod" draft={draft.hyperpod} onChange={(hyperpod) => change({ hyperpod })} />
          </Container>
        )}
        {!draft.foundationOnly && <StorageForm draft={draft.storage} onChange={(storage) => change({ storage })} />}
        <FoundationForm cluster={draft} onChange={change} />
        <Ownership draft={draft} onChange={change} />
      </FormPage>
    </PageFrame>
  );
}

function Basics({ draft, onChange }: { draft: ClusterDraft; onChange: (changed: Partial<ClusterDraft>) => void }) {
  const of = bound(draft, onChange);
  return (
    <Container header={<Header variant="h2">Cluster</Header>}>
      <SpaceBetween size="l">
        <TextField
          {...of('tag')}
          label="Tag"
          optional
          description="The cluster's short name, of which all other names are made."
          placeholder="Made up when left out"
        />
        <Field field="hyperpod" label="What is created" stretch value={draft.foundationOnly}>
          <Tiles
            value={draft.foundationOnly ? 'foundation' : 'cluster'}
            items={[
              {
                value: 'cluster',
                label: 'A whole cluster',
                description: 'Network, EKS control plane, add-ons, a HyperPod cluster and its storage',
              },
              {
                value: 'foundation',
                label: 'The foundation only',
                description: 'Network and EKS control plane; the HyperPod cluster can follow later',
              },
            ]}
            onChange={({ detail }) => onChange({ foundationOnly: detail.value === 'foundation' })}
          />
        </Field>
      </SpaceBetween>
    </Container>
  );
}
