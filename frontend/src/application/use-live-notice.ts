import type { FlashbarProps } from '@cloudscape-design/components/flashbar';
import { useEffect, useState } from 'react';
import { useLiveState } from '../live/live-context';

const MENDED_FOR = 4_000;

/** Tell that what is shown may be out of date while the connection is lost, and that it no longer is. */
export function useLiveNotice(): FlashbarProps.MessageDefinition[] {
  const state = useLiveState();
  const [wasLost, setWasLost] = useState(false);
  useEffect(() => {
    if (state === 'lost') {
      setWasLost(true);
    }
    if (!['open', 'partial'].includes(state) || !wasLost) {
      return;
    }
    const timer = setTimeout(() => setWasLost(false), MENDED_FOR);
    return () => clearTimeout(timer);
  }, [state, wasLost]);
  if (state === 'lost') {
    const content = 'Connection lost, reconnecting. What changes meanwhile is shown as soon as it is back.';
    return [{ id: 'live', type: 'warning', loading: true, content }];
  }
  if (state === 'partial') {
    const content = 'More is on this page than can be told as it happens. The rest is read again every 20 seconds.';
    return [{ id: 'live', type: 'info', content }];
  }
  return wasLost && state === 'open'
    ? [{ id: 'live', type: 'success', content: 'Connected again, nothing was missed.' }]
    : [];
}
