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

// The gateway answers within 30 seconds, and what is before it gives it 35; a line that died is silent for many minutes.
const ANSWER_WITHIN = 40_000;

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
    throw tellsOfNoAnswer(thrown) ? unreachable() : thrown;
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
  const answer = await fetched(authorized(request, shown));
  if (answer.status !== 401 || shown === null) {
    return answer;
  }
  return fetched(authorized(again, await token(shown)));
}

function fetched(request: Request): Promise<Response> {
  return fetch(request, { signal: AbortSignal.timeout(ANSWER_WITHIN) });
}

/** Whether what was thrown is of the network, of its silence, or of an answer that no API gave. */
function tellsOfNoAnswer(thrown: unknown): boolean {
  const isSilence = thrown instanceof DOMException && thrown.name === 'TimeoutError';
  return isSilence || thrown instanceof TypeError || thrown instanceof SyntaxError;
}

function authorized(request: Request, token: string | null): Request {
  if (token !== null) {
    request.headers.set('authorization', `Bearer ${token}`);
  }
  return request;
}
