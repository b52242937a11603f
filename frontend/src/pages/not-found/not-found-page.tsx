import Button from '@cloudscape-design/components/button';
import { useLocation, useNavigate } from 'react-router';
import { PageFrame } from '../../application/page-frame';
import { EmptyState } from '../../components/empty-state';

/** What stands at an address that no page has. */
export function Component() {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  return (
    <PageFrame title="No such page">
      <EmptyState title="There is no page here" action={<Button onClick={() => void navigate('/')}>Go home</Button>}>
        <span className="value">{pathname}</span> leads to no page of this console. A newer release may have it, or the
        address is misspelt.
      </EmptyState>
    </PageFrame>
  );
}
