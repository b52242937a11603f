import * as oauth from 'oauth4webapi';
import type { SignInConfiguration } from '../api/configuration';

/** What has to be remembered between asking for a code and redeeming it. */
export interface Proof {
  state: string;
  verifier: string;
}

export interface Tokens {
  access: string;
  refresh: string | undefined;
  /** When the access token ends, in milliseconds of this browser's clock. */
  ends: number;
}

/** Make a proof; `mark` begins its state, by which an answer is known. */
export function newProof(mark = ''): Proof {
  return { state: `${mark}${oauth.generateRandomState()}`, verifier: oauth.generateRandomCodeVerifier() };
}

/** Say where a person signs in so that a code comes back for this proof. */
export async function addressFor(configuration: SignInConfiguration, proof: Proof): Promise<string> {
  const address = new URL(configuration.authorization_endpoint);
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: configuration.client_id,
    redirect_uri: configuration.callback_url,
    scope: configuration.scopes.join(' '),
    state: proof.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(proof.verifier),
    code_challenge_method: 'S256',
  }).toString();
  return address.href;
}

/** Redeem the code in an address that a person came back to; throws where it is not the answer to this proof. */
export async function redeemed(configuration: SignInConfiguration, returned: URL, proof: Proof): Promise<Tokens> {
  const { server, client, options } = party(configuration);
  const parameters = oauth.validateAuthResponse(server, client, returned, proof.state);
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    configuration.callback_url,
    proof.verifier,
    options,
  );
  return tokensOf(await oauth.processAuthorizationCodeResponse(server, client, answer));
}

/** Get new tokens without asking the person; throws where the refresh token is not good any more. */
export async function renewed(configuration: SignInConfiguration, refresh: string): Promise<Tokens> {
  const { server, client, options } = party(configuration);
  const answer = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refresh, options);
  const tokens = tokensOf(await oauth.processRefreshTokenResponse(server, client, answer));
  return { ...tokens, refresh: tokens.refresh ?? refresh };
}

/** Whether the sign-in itself refused, rather than that it could not be reached. */
export function isRefusal(thrown: unknown): boolean {
  return thrown instanceof oauth.ResponseBodyError || thrown instanceof oauth.AuthorizationResponseError;
}

function party(configuration: SignInConfiguration) {
  const server: oauth.AuthorizationServer = {
    issuer: configuration.issuer,
    authorization_endpoint: configuration.authorization_endpoint,
    token_endpoint: configuration.token_endpoint,
  };
  const client: oauth.Client = { client_id: configuration.client_id };
  // Only the local host's stand-in is reached without TLS, and it never leaves the machine.
  const { hostname } = new URL(configuration.token_endpoint);
  return { server, client, options: { [oauth.allowInsecureRequests]: hostname === 'localhost' } };
}

function tokensOf(answer: oauth.TokenEndpointResponse): Tokens {
  return {
    access: answer.access_token,
    refresh: answer.refresh_token,
    ends: Date.now() + (answer.expires_in ?? 0) * 1000,
  };
}
