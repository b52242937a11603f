import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import type { Session } from './session';
import { useSessionState } from './sign-in-context';

interface Props {
  session: Session | null;
  /** What is seen until the page has begun anew. */
  meanwhile: ReactNode;
  children: ReactNode;
}

/** Shows what one person sees and types; when another one signs in, all of it goes, and the page begins anew. */
export function OnlyOnePerson({ session, meanwhile, children }: Props) {
  const cache = useQueryClient();
  const isAnother = useSessionState(session) === 'another';
  useEffect(() => {
    if (isAnother) {
      cache.clear();
      window.location.reload();
    }
  }, [isAnother, cache]);
  return isAnother ? meanwhile : children;
}
