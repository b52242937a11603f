import { useLocation, useParams } from 'react-router';
import { PageFrame } from '../../application/page-frame';
import { PageTabs } from '../../components/page-tabs';
import { AuditTab } from './audit-tab';
import { OperationsTab } from './operations-tab';

/** Who or which agent did what. */
export function Component() {
  const { tab } = useParams();
  const { search } = useLocation();
  return (
    <PageFrame title="Activity" above={[]} description="Who or which agent did what, the newest first.">
      <PageTabs
        label="What was done"
        active={tab}
        tabs={[
          { id: 'operations', label: 'Operations', href: `/activity${search}`, content: <OperationsTab /> },
          { id: 'audit', label: 'Audit', href: `/activity/audit${search}`, content: <AuditTab /> },
        ]}
      />
    </PageFrame>
  );
}
