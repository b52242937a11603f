import { type Api, apiOf } from '../api/client';
import { type Configuration, readConfiguration } from '../api/configuration';
import { arrive, depart } from '../sign-in/journey';
import { Session } from '../sign-in/session';

/** What the console is made of, once it knows its deployment and who is there. */
export interface Started {
  configuration: Configuration;
  api: Api;
  session: Session | null;
}

/** Find the deployment and let a person sign in where that is needed; throws ProblemError, or what the sign-in says. */
export async function start(): Promise<Started> {
  const configuration = await readConfiguration();
  const { sign_in } = configuration;
  if (sign_in === null) {
    return { configuration, api: apiOf(configuration, async () => null), session: null };
  }
  const tokens = (await arrive(sign_in)) ?? (await depart(sign_in));
  const { isRefusal, renewed } = await import('../sign-in/pkce');
  const session = new Session(tokens, { isRefusal, renew: (refresh) => renewed(sign_in, refresh) });
  return { configuration, api: apiOf(configuration, (refused) => session.token(refused)), session };
}
