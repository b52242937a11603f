import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Session, SessionState } from './session';

export interface Person {
  /** The name to show; empty where nobody signs in. */
  name: string;
  signOut: (() => void) | null;
}

export const PersonContext = createContext<Person>({ name: '', signOut: null });

export function usePerson(): Person {
  return useContext(PersonContext);
}

/** How a session stands; where nobody signs in, it always does. */
export function useSessionState(session: Session | null): SessionState {
  return useSyncExternalStore(
    (listener) => session?.onState(listener) ?? (() => undefined),
    () => session?.state ?? 'signed-in',
  );
}
