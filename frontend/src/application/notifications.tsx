import type { FlashbarProps } from '@cloudscape-design/components/flashbar';
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';

export interface Notification {
  type: FlashbarProps.Type;
  header: ReactNode;
  content?: ReactNode;
  action?: ReactNode;
}

interface Notifications {
  items: readonly FlashbarProps.MessageDefinition[];
  notify: (notification: Notification) => void;
}

const NotificationsContext = createContext<Notifications>({ items: [], notify: () => undefined });

/** Holds what the console has to tell across pages, until a person dismisses it. */
export function NotificationsProvider({ children }: { children: ReactNode }) {
  const [items, setItems] = useState<readonly FlashbarProps.MessageDefinition[]>([]);
  const notify = useCallback((notification: Notification) => {
    const id = crypto.randomUUID();
    const onDismiss = () => setItems((all) => all.filter((each) => each.id !== id));
    setItems((all) => [{ ...notification, id, dismissible: true, dismissLabel: 'Dismiss', onDismiss }, ...all]);
  }, []);
  const value = useMemo(() => ({ items, notify }), [items, notify]);
  return <NotificationsContext value={value}>{children}</NotificationsContext>;
}

export function useNotifications(): Notifications {
  return useContext(NotificationsContext);
}

/** Tell something that outlives the page: `const notify = useNotify()`. */
export function useNotify(): Notifications['notify'] {
  return useNotifications().notify;
}
