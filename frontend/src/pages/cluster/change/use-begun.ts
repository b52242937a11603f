import { useNavigate } from 'react-router';
import type { Operation } from '../../../api/schema';
import { useNotify } from '../../../application/notifications';
import { kindOf } from '../../../components/words';

/** What follows on a beginning: what is done already is told where one is, what goes on is shown. */
export function useBegun(stay?: () => void): (operation: Operation) => void {
  const navigate = useNavigate();
  const notify = useNotify();
  return (operation) => {
    if (stay && operation.status === 'SUCCEEDED') {
      notify({ type: 'success', header: `${kindOf(operation.kind)}: done` });
      stay();
    } else {
      void navigate(`/operations/${operation.operation_id}`);
    }
  };
}
