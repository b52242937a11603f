import { ProblemError, problemOf, unreachable } from './problems';

/** How people sign in, as `/config.json` tells; null on a machine where nobody has to. */
export interface SignInConfiguration {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  logout_url: string;
  client_id: string;
  callback_url: string;
  scopes: string[];
}

/** What the console cannot know when it is built. */
export interface Configuration {
  api_url: string;
  websocket_url: string;
  mcp_url: string;
  /** Where agents connect that sign with AWS credentials; null where only tokens are taken. */
  signed_mcp_url: string | null;
  region: string;
  release: string;
  sign_in: SignInConfiguration | null;
  agent: { client_id: string } | null;
}

/** Read where this deployment is reached; throws ProblemError. */
export async function readConfiguration(): Promise<Configuration> {
  const answer = await fetch('/config.json', { cache: 'no-cache' }).catch(() => {
    throw unreachable();
  });
  if (!answer.ok) {
    throw new ProblemError(problemOf(answer.status, await answer.json().catch(() => null)));
  }
  return answer.json();
}
