import Checkbox from '@cloudscape-design/components/checkbox';
import { useState } from 'react';
import { wish } from '../../../api/wishes';
import { ChangePanel } from '../change/change-panel';
import type { ClusterProps } from '../tab-list';

/** Forgets an imported cluster, which stays as it is. */
export default function ForgetChange({ cluster: { tag } }: ClusterProps) {
  const [touched, setTouched] = useState<{ remove_access_entries?: boolean }>({});
  return (
    <ChangePanel
      tag={tag}
      title="Forget this cluster"
      description="AWS keeps it as it is, and it can be imported again."
      action="Forget cluster"
      destroys
      wanted={wish('post', '/api/clusters/{tag}/forget', { path: { tag }, body: touched })}
    >
      <Checkbox
        checked={touched.remove_access_entries ?? false}
        onChange={({ detail }) => setTouched({ remove_access_entries: detail.checked })}
        description="The rights and access entries that the control plane made, for itself and for people."
      >
        Take access back
      </Checkbox>
    </ChangePanel>
  );
}
