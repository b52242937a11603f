import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { bound } from '../../forms/bound';
import { CheckboxField } from '../../forms/fields';
import type { Consent, ImportDraft } from './request';

interface Props {
  consents: ImportDraft['consents'];
  onChange: (consents: ImportDraft['consents']) => void;
}

const CONSENTS: readonly { consent: Consent; label: string; words: string; meaning: string }[] = [
  {
    consent: 'create_access_entry',
    label: 'Access',
    words: 'Let the control plane into the cluster',
    meaning:
      'Makes EKS access entries for two roles of the control plane, with the rights they need. Without it the import sees what AWS says of the cluster, and nothing inside.',
  },
  {
    consent: 'move_authentication_mode',
    label: 'Authentication mode',
    words: 'Move the cluster from CONFIG_MAP to API_AND_CONFIG_MAP',
    meaning: 'Nobody can take that back. HyperPod needs access entries, which CONFIG_MAP does not know.',
  },
  {
    consent: 'tag_subnets',
    label: 'Tags of subnets',
    words: "Tag the cluster's subnets",
    meaning: 'So that load balancers find them.',
  },
];

/** What an import may change; without consent it only reads. */
export function ConsentsForm({ consents, onChange }: Props) {
  const of = bound(consents, (changed) => onChange({ ...consents, ...changed }), 'consents');
  return (
    <Container
      header={
        <Header variant="h2" description="Without consent the import only reads. What it would write is shown next.">
          Consents
        </Header>
      }
    >
      <SpaceBetween size="m">
        {CONSENTS.map(({ consent, ...words }) => (
          <CheckboxField key={consent} {...of(consent)} {...words} stretch />
        ))}
      </SpaceBetween>
    </Container>
  );
}
