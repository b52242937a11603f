import Button from '@cloudscape-design/components/button';
import type { TableProps } from '@cloudscape-design/components/table';
import { useState } from 'react';
import { useNamespaces } from '../../../api/cluster-parts';
import type { NamespaceView } from '../../../api/schema';
import { EmptyState } from '../../../components/empty-state';
import { PagedTable } from '../../../components/paged-table';
import { Time } from '../../../components/time';
import { NamespaceForm } from './namespace-form';
import { Unreached } from './unreached';

const COLUMNS: TableProps.ColumnDefinition<NamespaceView>[] = [
  {
    id: 'name',
    header: 'Namespace',
    cell: ({ name }) => <span className="value">{name}</span>,
    isRowHeader: true,
    minWidth: 180,
  },
  { id: 'phase', header: 'Phase', cell: ({ phase }) => phase, minWidth: 100 },
  { id: 'ours', header: 'Made here', cell: ({ ours }) => (ours ? 'Yes' : 'No'), minWidth: 110 },
  { id: 'labels', header: 'Labels', cell: ({ labels }) => <Labels labels={labels} />, minWidth: 260 },
  { id: 'created', header: 'Created', cell: ({ created_at }) => <Time at={created_at} />, minWidth: 190 },
];

/** The namespaces of a cluster. */
export function NamespacesTable({ tag }: { tag: string }) {
  const listing = useNamespaces(tag);
  const [making, setMaking] = useState(false);
  if (listing.error && listing.items.length === 0) {
    return <Unreached tag={tag} title="Namespaces" problem={listing.error.problem} onRetry={listing.refresh} />;
  }
  return (
    <>
      <PagedTable
        title="Namespaces"
        listing={listing}
        columns={COLUMNS}
        trackBy={({ name }) => name}
        actions={<Button onClick={() => setMaking(true)}>Create namespace</Button>}
        empty={<EmptyState title="No namespaces">The cluster has told of none.</EmptyState>}
      />
      {making && <NamespaceForm tag={tag} onDismiss={() => setMaking(false)} />}
    </>
  );
}

const FEW = 6;

function Labels({ labels }: { labels: NamespaceView['labels'] }) {
  const lines = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return (
    <>
      {lines.slice(0, FEW).map((line) => (
        <div key={line} className="value">
          {line}
        </div>
      ))}
      {lines.length > FEW && <div>and {lines.length - FEW} more</div>}
    </>
  );
}
