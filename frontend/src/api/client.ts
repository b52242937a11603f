import createClient, { type Client } from 'openapi-fetch';
import type { Configuration } from './configuration';
import { ProblemError, problemOf, unreachable } from './problems';
import type { paths } from './schema';

/** Gives the token to show, once there is one; null where nobody signs in. `refused` is one that was not taken. */
export type TokenSource = (refused?: string) => Promise<string | null>;

export type Api = Client<paths>;

interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** Make the client of a deployment's API. Its paths already begin with `/api`. */
export function apiOf(configuration: Configuration, token: TokenSource): Api {
  return createClient<paths>({
    baseUrl: configuration.api_url.replace(/\/api$/, ''),
    fetch: (request) => sent(request, token),
  });
}

/** Give what a call answered; throws ProblemError for everything else. */
export async function answered<Data>(call: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await call.catch((thrown: unknown) => {
    throw thrown instanceof TypeError || thrown instanceof SyntaxError ? unreachable() : thrown;
  });
  if (!response.ok || data === undefined) {
    throw new ProblemError(problemOf(response.status, error));
  }
  return data;
}

/** Send a request with a token, and once more with a newer one where the first had expired on the way. */
async function sent(request: Request, token: TokenSource): Promise<Response> {
  const again = request.clone();
  const shown = await token();
  const answer = await fetch(authorized(request, shown));
  if (answer.status !== 401 || shown === null) {
    return answer;
  }
  return fetch(authorized(again, await token(shown)));
}

function authorized(request: Request, token: string | null): Request {
  if (token !== null) {
    request.headers.set('authorization', `Bearer ${token}`);
  }
  return request;
}
