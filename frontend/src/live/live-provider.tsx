import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useDeployment } from '../api/api-context';
import { answered } from '../api/client';
import { LiveConnection } from './connection';
import { type Live, LiveContext } from './live-context';
import { mend, merge, versionIn } from './merge';
import { Rereading } from './rereading';
import { ServerClock } from './server-clock';

/** Holds the one WebSocket of the console for the pages within. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const { api, configuration } = useDeployment();
  const cache = useQueryClient();
  const [live] = useState<Live>(() => {
    const clock = new ServerClock();
    const { ask } = new Rereading(cache);
    const connection = new LiveConnection({
      open: async () => {
        const { ticket } = await answered(api.POST('/api/tickets'));
        return new WebSocket(`${configuration.websocket_url}?ticket=${encodeURIComponent(ticket)}`);
      },
      versionOf: (operationId) => versionIn(cache, operationId),
      onMessage: (message) => {
        clock.hear(message);
        merge(cache, message, ask);
      },
      onGap: (topic) => mend(topic, ask),
      isSeen: () => document.visibilityState === 'visible',
    });
    return { clock, connection };
  });
  useEffect(() => {
    // For whoever looks from outside: tests, and people who wonder.
    const { dataset } = document.documentElement;
    const show = () => {
      dataset.live = live.connection.state;
      dataset.told = JSON.stringify(live.connection.told);
      dataset.tellsAll = String(live.connection.tellsAll);
    };
    show();
    return live.connection.onState(show);
  }, [live]);
  useEffect(() => {
    const { dataset } = document.documentElement;
    const show = () => {
      dataset.reading = String(cache.isFetching() > 0);
    };
    show();
    return cache.getQueryCache().subscribe(show);
  }, [cache]);
  useEffect(() => {
    const hurry = () => live.connection.hurry();
    window.addEventListener('online', hurry);
    document.addEventListener('visibilitychange', hurry);
    return () => {
      window.removeEventListener('online', hurry);
      document.removeEventListener('visibilitychange', hurry);
    };
  }, [live]);
  return <LiveContext value={live}>{children}</LiveContext>;
}
