import SpaceBetween from '@cloudscape-design/components/space-between';
import { bound } from './bound';
import { TextField } from './fields';
import { PairsField } from './pairs-field';
import { Section } from './section';
import type { Pair } from './sending';

export interface OwnershipDraft {
  owner_groups?: string;
  company_tags?: readonly Pair[];
}

interface Props {
  draft: OwnershipDraft;
  onChange: (changed: OwnershipDraft) => void;
}

const FIELDS = ['owner_groups', 'company_tags'];

/** Who may change the cluster, and the tags of your company on all that is made for it. */
export function Ownership({ draft, onChange }: Props) {
  const of = bound(draft, onChange);
  return (
    <Section
      variant="container"
      title="Owner groups and company tags"
      description="Who may change the cluster, and what all that is made for it is tagged with."
      fields={FIELDS}
    >
      <SpaceBetween size="l">
        <TextField
          {...of('owner_groups')}
          label="Owner groups"
          optional
          description="Groups of sign-in whose members may change the cluster, parted by commas; everybody with the scope when left out."
        />
        <PairsField {...of('company_tags')} label="Company tags" noun="tag" />
      </SpaceBetween>
    </Section>
  );
}
