import type { SignInConfiguration } from '../api/configuration';
import type { Proof, Tokens } from './pkce';

// Where nobody signs in, nothing of it is loaded.
const pkce = () => import('./pkce');

// Outlives the way to the sign-in page and back, and nothing else: no token is ever stored.
const KEPT = 'instantstart.sign-in';
const BESIDE = 'beside.';
const CHANNEL = 'instantstart.sign-in';

interface Kept extends Proof {
  page: string;
}

/** Go to the sign-in page; the person comes back to the page that is open now. */
export async function depart(configuration: SignInConfiguration): Promise<never> {
  const { addressFor, newProof } = await pkce();
  const proof = newProof();
  const { pathname, search, hash } = window.location;
  const kept: Kept = { ...proof, page: `${pathname}${search}${hash}` };
  sessionStorage.setItem(KEPT, JSON.stringify(kept));
  window.location.assign(await addressFor(configuration, proof));
  return new Promise(() => undefined);
}

/** Give the tokens of a person who comes back from the sign-in page, and restore the address; null for anybody else. */
export async function arrive(configuration: SignInConfiguration): Promise<Tokens | null> {
  const returned = new URL(window.location.href);
  const kept = taken();
  if (kept === null || !returned.searchParams.has('state')) {
    return null;
  }
  window.history.replaceState(null, '', kept.page);
  const { redeemed } = await pkce();
  return redeemed(configuration, returned, kept);
}

/** Sign in again in a window of its own, so that this page stays as it is. Call it from a click. */
export async function signInBeside(configuration: SignInConfiguration): Promise<Tokens> {
  const beside = window.open('', '', 'popup,width=480,height=720');
  const { addressFor, newProof, redeemed } = await pkce();
  const proof = newProof(BESIDE);
  const returned = answerOf(proof.state);
  const address = await addressFor(configuration, proof);
  if (beside === null) {
    throw new Error('The browser did not open a window to sign in with. Allow pop-ups for this address.');
  }
  beside.location.assign(address);
  return redeemed(configuration, new URL(await returned), proof);
}

/** Hand the address on where this is the window that somebody signed in with; gives whether it is. */
export function handOn(): boolean {
  const returned = new URL(window.location.href);
  if (!returned.searchParams.get('state')?.startsWith(BESIDE)) {
    return false;
  }
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(returned.href);
  channel.close();
  window.close();
  return true;
}

function answerOf(state: string): Promise<string> {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = ({ data }) => {
      if (new URL(String(data)).searchParams.get('state') === state) {
        channel.close();
        resolve(String(data));
      }
    };
  });
}

function taken(): Kept | null {
  const text = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  return text === null ? null : (JSON.parse(text) as Kept);
}
