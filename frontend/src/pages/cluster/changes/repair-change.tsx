import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { wish } from '../../../api/wishes';
import { Section } from '../../../forms/section';
import { listed } from '../../../forms/sending';
import { ChangePanel } from '../change/change-panel';
import { addressOf, type ClusterProps } from '../tab-list';
import { TakenField } from './taken-field';

const FIELDS = ['accept_replacement'];

/** Brings back what drifted of what was made here. */
export default function RepairChange({ cluster: { tag } }: ClusterProps) {
  const navigate = useNavigate();
  const [touched, setTouched] = useState<{ accept_replacement?: string[] }>({});
  return (
    <ChangePanel
      tag={tag}
      title="Repair this cluster"
      description="Brings back what the last detection found to have drifted; without a recent one it begins with its own."
      action="Repair"
      wanted={wish('post', '/api/clusters/{tag}/repair', { path: { tag }, body: touched })}
      fields={FIELDS}
    >
      <SpaceBetween size="m">
        <Button onClick={() => void navigate(addressOf(tag, 'drift'))}>Show what drifted</Button>
        <Section title="When a resource has to be made anew" fields={FIELDS}>
          <TakenField
            field="accept_replacement"
            read={listed}
            constraint="Parted by commas."
            label="Stack resources that may be made anew"
            description="Logical ids. What such a resource holds now is lost."
            onTaken={(names) => setTouched(names ? { accept_replacement: names } : {})}
          />
        </Section>
      </SpaceBetween>
    </ChangePanel>
  );
}
