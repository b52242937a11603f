import Checkbox from '@cloudscape-design/components/checkbox';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { wish } from '../../../api/wishes';
import { ChangePanel } from '../change/change-panel';
import type { ClusterProps } from '../tab-list';
import { NamesInput } from './names-input';

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
      fields={['retain_resources']}
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
        <ExpandableSection headerText="After a deletion that failed">
          <NamesInput
            field="retain_resources"
            label="Stack resources to give up"
            description="Logical ids of resources on which a deletion has failed. They stay, and are yours to delete."
            onNames={(retain_resources) => choose({ retain_resources })}
          />
        </ExpandableSection>
      </SpaceBetween>
    </ChangePanel>
  );
}
