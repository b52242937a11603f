import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { wish } from '../../../api/wishes';
import { sent } from '../../../forms/sending';
import { ChangePanel } from '../change/change-panel';
import type { ClusterProps } from '../tab-list';
import { TakenField } from './taken-field';

/** Looks again at an imported cluster. */
export default function RedetectChange({ cluster: { tag } }: ClusterProps) {
  const [touched, setTouched] = useState<{ bucket?: string; execution_role_arn?: string }>({});
  return (
    <ChangePanel
      tag={tag}
      title="Redetect this cluster"
      description="Looks again at what there is, and tells what has changed. Nothing in AWS is changed."
      action="Redetect"
      wanted={wish('post', '/api/clusters/{tag}/redetect', { path: { tag }, body: touched })}
      fields={['bucket', 'execution_role_arn']}
    >
      <SpaceBetween size="m">
        <TakenField
          field="bucket"
          read={sent}
          label="Bucket"
          description="Takes the place of the one that was found or named before."
          onTaken={(bucket) => setTouched((known) => ({ ...known, bucket }))}
        />
        <TakenField
          field="execution_role_arn"
          read={sent}
          label="Execution role"
          description="The ARN of the role for a HyperPod cluster yet to be created."
          onTaken={(execution_role_arn) => setTouched((known) => ({ ...known, execution_role_arn }))}
        />
      </SpaceBetween>
    </ChangePanel>
  );
}
