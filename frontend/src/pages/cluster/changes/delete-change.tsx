import Checkbox from '@cloudscape-design/components/checkbox';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { wish } from '../../../api/wishes';
import { Section } from '../../../forms/section';
import { listed } from '../../../forms/sending';
import { ChangePanel } from '../change/change-panel';
import type { ClusterProps } from '../tab-list';
import { TakenField } from './taken-field';

const FIELDS = ['retain_resources'];

interface Options {
  delete_bucket?: boolean;
  skip_workloads?: boolean;
  retain_resources?: string[];
}

/** Deletes a cluster with all that was made for it. */
export default function DeleteChange({ cluster: { tag, spec } }: ClusterProps) {
  const [options, setOptions] = useState<Options>({});
  const choose = (chosen: Options) => setOptions((known) => ({ ...known, ...chosen }));
  return (
    <ChangePanel
      tag={tag}
      title="Delete this cluster"
      description={
        spec.origin === 'imported'
          ? 'What was made here is deleted. What others made stays as it is.'
          : 'Everything that was made for this cluster is deleted.'
      }
      action="Delete cluster"
      destroys
      wanted={wish('delete', '/api/clusters/{tag}', { path: { tag }, query: options })}
      fields={FIELDS}
    >
      <SpaceBetween size="m">
        <Checkbox
          checked={options.delete_bucket ?? false}
          onChange={({ detail }) => choose({ delete_bucket: detail.checked })}
          description="With all that is in it. Without this it is kept."
        >
          Delete the bucket too
        </Checkbox>
        <Checkbox
          checked={options.skip_workloads ?? false}
          onChange={({ detail }) => choose({ skip_workloads: detail.checked })}
          description="For a cluster that does not answer. It is not asked to take its load balancers along."
        >
          Do nothing inside the cluster
        </Checkbox>
        <Section title="After a deletion that failed" fields={FIELDS}>
          <TakenField
            field="retain_resources"
            read={listed}
            constraint="Parted by commas."
            label="Stack resources to give up"
            description="Logical ids of resources on which a deletion has failed. They stay, and are yours to delete."
            onTaken={(retain_resources) => choose({ retain_resources })}
          />
        </Section>
      </SpaceBetween>
    </ChangePanel>
  );
}
