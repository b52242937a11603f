import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import { useState } from 'react';
import type { DesiredMount } from '../../../api/schema';
import { EmptyState } from '../../../components/empty-state';
import { PagedTable } from '../../../components/paged-table';
import { here } from '../here';
import { SideOfCluster } from '../side-of-cluster';
import type { ClusterProps } from '../tab-list';
import { FoundVolumes } from './found-volumes';
import { MountForm } from './mount-form';

const COLUMNS: TableProps.ColumnDefinition<DesiredMount>[] = [
  {
    id: 'name',
    header: 'Mount',
    cell: ({ name }) => <span className="value">{name}</span>,
    isRowHeader: true,
    minWidth: 200,
  },
  {
    id: 'namespace',
    header: 'Namespace',
    cell: ({ namespace }) => <span className="value">{namespace}</span>,
    minWidth: 200,
  },
];

/** The mounts of a cluster: its bucket as volumes that pods claim by name. */
export default function StorageTab({ cluster }: ClusterProps) {
  const [mounting, setMounting] = useState(false);
  const { spec, detected, tag } = cluster;
  const create = <Button onClick={() => setMounting(true)}>Create mount</Button>;
  return (
    <SpaceBetween size="l">
      <PagedTable
        title="Mounts"
        description={
          <>
            {spec.names.bucket && (
              <div>
                The bucket <span className="value">{spec.names.bucket}</span> as volumes that pods claim by name.
              </div>
            )}
            <SideOfCluster cluster={cluster} type="StorageReady" />
          </>
        }
        listing={here(spec.mounts ?? [])}
        columns={COLUMNS}
        trackBy={({ name, namespace }) => `${namespace}/${name}`}
        actions={create}
        empty={<EmptyState title="No mounts">Pods read and write the bucket through a mount.</EmptyState>}
      />
      {detected && <FoundVolumes volumes={detected.volumes} />}
      {mounting && <MountForm tag={tag} onDismiss={() => setMounting(false)} />}
    </SpaceBetween>
  );
}
