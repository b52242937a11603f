import { createContext, useContext } from 'react';

export interface Person {
  /** The name to show; empty where nobody signs in. */
  name: string;
  signOut: (() => void) | null;
}

export const PersonContext = createContext<Person>({ name: '', signOut: null });

export function usePerson(): Person {
  return useContext(PersonContext);
}
