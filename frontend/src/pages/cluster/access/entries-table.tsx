import Button from '@cloudscape-design/components/button';
import type { TableProps } from '@cloudscape-design/components/table';
import { useMemo, useState } from 'react';
import { useAccess } from '../../../api/cluster-parts';
import type { AccessView } from '../../../api/schema';
import { EmptyState } from '../../../components/empty-state';
import { PagedTable } from '../../../components/paged-table';
import { sentence } from '../../../components/words';
import { GrantForm } from './grant-form';
import { grantedIn, standing } from './grants';
import { RevokeForm } from './revoke-form';
import { Unreached } from './unreached';

/** Who may enter a cluster, by what, and who let them in. */
export function EntriesTable({ tag }: { tag: string }) {
  const listing = useAccess(tag);
  const [granting, setGranting] = useState(false);
  const [revoked, setRevoked] = useState<AccessView | null>(null);
  const columns = useMemo(() => columnsOf(setRevoked), []);
  if (listing.error && listing.items.length === 0) {
    return <Unreached tag={tag} title="Access" problem={listing.error.problem} onRetry={listing.refresh} />;
  }
  return (
    <>
      <PagedTable
        title="Access"
        description="Roles and users that the cluster lets in."
        listing={listing}
        columns={columns}
        trackBy={({ principal_arn }) => principal_arn}
        actions={<Button onClick={() => setGranting(true)}>Grant access</Button>}
        empty={<EmptyState title="Nobody is let in">No access entries exist.</EmptyState>}
      />
      {granting && <GrantForm tag={tag} onDismiss={() => setGranting(false)} />}
      {revoked && <RevokeForm tag={tag} entry={revoked} onDismiss={() => setRevoked(null)} />}
    </>
  );
}

function columnsOf(revoke: (entry: AccessView) => void): TableProps.ColumnDefinition<AccessView>[] {
  return [
    {
      id: 'principal',
      header: 'Who',
      cell: ({ principal_arn, permission_set }) => (
        <span className="value">{permission_set ? `${permission_set} (${principal_arn})` : principal_arn}</span>
      ),
      isRowHeader: true,
      minWidth: 280,
    },
    { id: 'kind', header: 'Kind', cell: ({ kind }) => sentence(kind), minWidth: 80 },
    {
      id: 'granted',
      header: 'May',
      cell: (entry) =>
        grantedIn(entry).map((line) => (
          <div key={line} className="value">
            {line}
          </div>
        )),
      minWidth: 200,
    },
    { id: 'owner', header: 'Made by', cell: ({ made_by }) => sentence(made_by), minWidth: 130 },
    { id: 'standing', header: 'As granted', cell: (entry) => standing(entry), minWidth: 120 },
    {
      id: 'revoke',
      header: 'Revoke',
      cell: (entry) => (
        <Button
          variant="inline-link"
          ariaLabel={`Revoke the access of ${entry.principal_arn}`}
          onClick={() => revoke(entry)}
        >
          Revoke
        </Button>
      ),
      minWidth: 100,
    },
  ];
}
