import { useEffect, useRef } from 'react';
import { useBlocker } from 'react-router';
import { LeaveQuestion } from '../components/leave-question';

/** Asks before what was typed is left behind; `leave` lets the page be left without asking. */
export function useLeaving(isTouched: boolean) {
  const free = useRef(false);
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isTouched && !free.current && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!isTouched) {
      return;
    }
    const ask = (event: BeforeUnloadEvent) => {
      if (!free.current) {
        event.preventDefault();
      }
    };
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isTouched]);
  return {
    leave: () => {
      free.current = true;
    },
    question: blocker.state === 'blocked' && (
      <LeaveQuestion title="Leave this page?" onStay={blocker.reset} onLeave={blocker.proceed} />
    ),
  };
}
