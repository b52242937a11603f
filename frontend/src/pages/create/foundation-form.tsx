import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { Section } from '../../forms/section';
import { AddressRanges } from './address-ranges';
import { ControlPlane } from './control-plane';
import type { ClusterDraft, FoundationDraft } from './draft';
import { FOUNDATION_FIELDS } from './request';
import { ReusedNetwork, ReusedRoles } from './reused-parts';

export interface FoundationProps {
  draft: FoundationDraft;
  onChange: (changed: Partial<FoundationDraft>) => void;
}

interface Props {
  cluster: ClusterDraft;
  onChange: (changed: Partial<ClusterDraft>) => void;
}

/** Network and control plane: all of it is chosen and made by itself where nobody says anything. */
export function FoundationForm({ cluster, onChange }: Props) {
  const [opened, setOpened] = useState(false);
  const draft = cluster.foundation;
  const change = (changed: Partial<FoundationDraft>) => onChange({ foundation: { ...draft, ...changed } });
  return (
    <Section
      variant="container"
      title="Foundation"
      description="Kubernetes version, zones, address ranges, and what of yours is taken over. All of it is chosen by itself."
      fields={FOUNDATION_FIELDS}
      onOpen={() => setOpened(true)}
    >
      {opened && (
        <SpaceBetween size="l">
          <ControlPlane draft={draft} onChange={change} />
          <AddressRanges draft={draft} tag={cluster.tag} onChange={change} />
          <ReusedNetwork draft={draft} onChange={change} />
          <ReusedRoles draft={draft} onChange={change} />
        </SpaceBetween>
      )}
    </Section>
  );
}
