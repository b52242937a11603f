import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ClusterProps } from '../tab-list';
import { EntriesTable } from './entries-table';
import { NamespacesTable } from './namespaces-table';

/** Who may enter a cluster, and its namespaces. */
export default function AccessTab({ cluster: { tag } }: ClusterProps) {
  return (
    <SpaceBetween size="l">
      <EntriesTable tag={tag} />
      <NamespacesTable tag={tag} />
    </SpaceBetween>
  );
}
