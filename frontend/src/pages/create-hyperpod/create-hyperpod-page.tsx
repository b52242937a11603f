import Alert from '@cloudscape-design/components/alert';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import { useState } from 'react';
import { useParams } from 'react-router';
import { useCluster } from '../../api/clusters';
import type { ClusterView } from '../../api/schema';
import { wish } from '../../api/wishes';
import { PageFrame } from '../../application/page-frame';
import { PageLink } from '../../components/page-link';
import { ProblemAlert } from '../../components/problem-alert';
import { FormPage } from '../../forms/form-page';
import { hyperPodFields } from '../../forms/groups/group-fields';
import { fieldInForm, hyperPodRequest, newHyperPod } from '../../forms/groups/hyperpod-draft';
import { HyperPodForm } from '../../forms/groups/hyperpod-form';
import { useLive } from '../../live/live-context';

/** The HyperPod cluster of a cluster that has its foundation only. */
export function Component() {
  const { tag = '' } = useParams();
  useLive({ cluster_tag: tag });
  const { data: cluster, error } = useCluster(tag);
  const [begun] = useState(newHyperPod);
  const [draft, setDraft] = useState(begun);
  const page = `/clusters/${encodeURIComponent(tag)}`;
  return (
    <PageFrame
      title="Create HyperPod cluster"
      description={
        <>
          On the foundation of <span className="value">{tag}</span>. You see what it changes and costs before anything
          is made.
        </>
      }
      above={[{ text: tag, href: page }]}
    >
      {error && <ProblemAlert problem={error.problem} />}
      {cluster && <DependenciesFirst cluster={cluster} />}
      <FormPage
        wish={() => wish('post', '/api/clusters/{tag}/hyperpod', { path: { tag }, body: hyperPodRequest(draft) })}
        fields={hyperPodFields('', draft)}
        inForm={fieldInForm('', draft)}
        groups={draft.groups}
        isTouched={draft !== begun}
        action="Create HyperPod cluster"
        from={page}
      >
        <Container header={<Header variant="h2">HyperPod cluster</Header>}>
          <HyperPodForm at="" draft={draft} onChange={setDraft} />
        </Container>
      </FormPage>
    </PageFrame>
  );
}

/** What comes before, where it does not stand yet. */
function DependenciesFirst({ cluster: { tag, conditions } }: { cluster: ClusterView }) {
  const ready = conditions.find(({ type }) => type === 'DependenciesReady');
  if (ready?.status === 'True') {
    return null;
  }
  return (
    <Alert type="info" header="The dependencies come first">
      <span className="value">{ready?.message ?? 'The add-ons that a HyperPod cluster needs are not there yet.'}</span>{' '}
      <PageLink to={`/clusters/${encodeURIComponent(tag)}/dependencies`}>Configure dependencies</PageLink>
    </Alert>
  );
}
