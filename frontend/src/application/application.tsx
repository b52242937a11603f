import { I18nProvider } from '@cloudscape-design/components/i18n';
import messages from '@cloudscape-design/components/i18n/messages/all.en';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, StrictMode, useEffect, useMemo, useState } from 'react';
import { RouterProvider } from 'react-router/dom';
import { DeploymentContext } from '../api/api-context';
import { ProblemError } from '../api/problems';
import { LiveProvider } from '../live/live-provider';
import { OnlyOnePerson } from '../sign-in/only-one-person';
import { SignInAgain } from '../sign-in/sign-in-again';
import { type Person, PersonContext } from '../sign-in/sign-in-context';
import { NotificationsProvider } from './notifications';
import { newQueryClient } from './query-client';
import { newRouter } from './routes';
import { type Started, start } from './start';
import { StartFailure, Starting } from './starting';

// A start that failed for want of an answer is tried again by itself.
const AGAIN_AFTER = 3_000;

/** The console: it starts, and then shows pages. */
export function Application() {
  const { started, failure } = useStart();
  return (
    <I18nProvider locale="en" messages={[messages]}>
      {started ? <Running started={started} /> : failure === null ? <Starting /> : <StartFailure thrown={failure} />}
    </I18nProvider>
  );
}

function useStart(): { started: Started | null; failure: unknown } {
  const [started, setStarted] = useState<Started | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const attempt = () => {
      start().then(setStarted, (thrown: unknown) => {
        setFailure(thrown);
        if (thrown instanceof ProblemError) {
          timer = setTimeout(attempt, AGAIN_AFTER);
        }
      });
    };
    attempt();
    return () => clearTimeout(timer);
  }, []);
  return { started, failure };
}

function Running({ started }: { started: Started }) {
  const [router] = useState(newRouter);
  const [cache] = useState(newQueryClient);
  return (
    <DeploymentContext value={started}>
      <QueryClientProvider client={cache}>
        <LiveProvider>
          <NotificationsProvider>
            <SignedIn started={started}>
              <StrictMode>
                <RouterProvider router={router} />
              </StrictMode>
            </SignedIn>
          </NotificationsProvider>
        </LiveProvider>
      </QueryClientProvider>
    </DeploymentContext>
  );
}

function SignedIn({ started: { session, configuration }, children }: { started: Started; children: ReactNode }) {
  const { sign_in } = configuration;
  const person = useMemo<Person>(() => {
    if (session === null || sign_in === null) {
      return { name: '', signOut: null };
    }
    const leaving = new URLSearchParams({ client_id: sign_in.client_id, logout_uri: sign_in.callback_url });
    return { name: session.person, signOut: () => window.location.assign(`${sign_in.logout_url}?${leaving}`) };
  }, [session, sign_in]);
  return (
    <PersonContext value={person}>
      <OnlyOnePerson session={session} meanwhile={<Starting />}>
        {children}
      </OnlyOnePerson>
      {session !== null && sign_in !== null && <SignInAgain session={session} configuration={sign_in} />}
    </PersonContext>
  );
}
