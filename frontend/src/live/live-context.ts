import { createContext, useContext, useEffect, useSyncExternalStore } from 'react';
import type { LiveConnection, LiveState } from './connection';
import { nameOf, type Topic } from './messages';
import type { ServerClock } from './server-clock';

export interface Live {
  connection: LiveConnection;
  clock: ServerClock;
}

export const LiveContext = createContext<Live | null>(null);

function useLiveContext(): Live {
  const live = useContext(LiveContext);
  if (live === null) {
    throw new Error('what is live is for pages inside the application');
  }
  return live;
}

/** Keep what is shown of some topics up to date while a component is on the screen. A connection carries twenty. */
export function useLive(...topics: Topic[]): void {
  const { connection } = useLiveContext();
  const names = topics.map(nameOf).sort().join('\n');
  useEffect(() => {
    const stops = names
      .split('\n')
      .filter(Boolean)
      .map((name) => connection.watch(JSON.parse(name) as Topic));
    return () => {
      for (const stop of stops) {
        stop();
      }
    };
  }, [connection, names]);
}

/** Whether what is shown is up to date. */
export function useLiveState(): LiveState {
  return useOfConnection(({ state }) => state);
}

/** Whether all that pages watch is told to them by now, what the newest of them asks for included. */
export function useTellsAll(): boolean {
  return useOfConnection(({ tellsAll }) => tellsAll);
}

function useOfConnection<Value extends string | boolean>(read: (connection: LiveConnection) => Value): Value {
  const { connection } = useLiveContext();
  return useSyncExternalStore(
    (listener) => connection.onState(listener),
    () => read(connection),
  );
}

export function useServerClock(): ServerClock {
  return useLiveContext().clock;
}
