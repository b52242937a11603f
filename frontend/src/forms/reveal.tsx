import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';

interface Revealing {
  /** The field that somebody was led to, and a number that tells one time from another. */
  asked: { field: string; time: number } | null;
  reveal: (field: string) => void;
}

const Context = createContext<Revealing>({ asked: null, reveal: () => undefined });

/** Leads people from what is said of a field to the field, though its section be closed. */
export function RevealProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<Revealing['asked']>(null);
  const reveal = useCallback((field: string) => {
    setAsked((before) => ({ field, time: (before?.time ?? 0) + 1 }));
    // A section that was closed has to be open before anything in it takes the focus.
    requestAnimationFrame(() => requestAnimationFrame(() => focusOn(field)));
  }, []);
  const value = useMemo(() => ({ asked, reveal }), [asked, reveal]);
  return <Context value={value}>{children}</Context>;
}

export function useReveal(): Revealing {
  return useContext(Context);
}

/** The id of the element around a field. */
export function placeOf(field: string): string {
  return `field-${field.replaceAll('.', '-')}`;
}

function focusOn(field: string): void {
  const place = document.getElementById(placeOf(field));
  place?.scrollIntoView({ block: 'center' });
  place?.querySelector<HTMLElement>('input, textarea, button, [tabindex="0"]')?.focus();
}
