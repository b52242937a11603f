import { expect, it, vi } from 'vitest';
import type { Tokens } from './pkce';
import { type Issuer, Session } from './session';

const HOUR = 3_600_000;
const REFUSED = new Error('invalid_grant');

const tokens = (access: string, ends: number, refresh: string | undefined = 'r'): Tokens => ({ access, refresh, ends });
const issuer = (renew: Issuer['renew']): Issuer => ({ renew, isRefusal: (thrown) => thrown === REFUSED });

it('gives the token that it has while it is good', async () => {
  const renew = vi.fn();
  const session = new Session(tokens('a', HOUR), issuer(renew), () => 0);
  expect(await session.token()).toBe('a');
  expect(renew).not.toHaveBeenCalled();
});

it('renews a token that is about to end, once for all who ask, with the newest refresh token', async () => {
  let now = HOUR - 30_000;
  const renew = vi.fn(async (refresh: string) => tokens(`${refresh}+`, now + HOUR, `${refresh}r`));
  const session = new Session(tokens('a', HOUR), issuer(renew), () => now);
  expect(await Promise.all([session.token(), session.token()])).toEqual(['r+', 'r+']);
  now += HOUR;
  expect(await session.token()).toBe('rr+');
  expect(renew).toHaveBeenCalledTimes(2);
});

it('renews a token that the API did not take, although it looks good', async () => {
  const session = new Session(
    tokens('a', HOUR),
    issuer(async () => tokens('b', HOUR)),
    () => 0,
  );
  expect(await session.token('a')).toBe('b');
  expect(await session.token('a')).toBe('b');
});

it('lets whoever asks wait until the person has signed in again', async () => {
  const session = new Session(
    tokens('a', 0),
    issuer(() => Promise.reject(REFUSED)),
    () => 0,
  );
  const states: string[] = [];
  session.onState(() => states.push(session.state));
  const waiting = [session.token(), session.token()];
  await vi.waitFor(() => expect(session.state).toBe('expired'));
  session.signedIn(tokens('b', HOUR));
  expect(await Promise.all(waiting)).toEqual(['b', 'b']);
  expect(states).toEqual(['expired', 'signed-in']);
});

it.each([
  [
    { sub: 'a', username: 'ann' },
    { sub: 'b', username: 'ann' },
  ],
  [{ username: 'ann' }, { username: 'bob' }],
])('sends nothing of one person as another who signed in instead', async (one, other) => {
  const token = (claims: object) => `x.${btoa(JSON.stringify(claims))}.y`;
  const refusing = issuer(() => Promise.reject(REFUSED));
  const session = new Session(tokens(token(one), 0), refusing, () => 0);
  const went = vi.fn();
  void session.token().then(went);
  await vi.waitFor(() => expect(session.state).toBe('expired'));
  session.signedIn(tokens(token(other), HOUR));
  void session.token().then(went);
  await new Promise((resolve) => setImmediate(resolve));
  expect([session.state, went.mock.calls]).toEqual(['another', []]);
});

it('is not ended by a sign-in that does not answer: that is a fault to try again', async () => {
  const session = new Session(
    tokens('a', 0),
    issuer(() => Promise.reject(new TypeError('network'))),
    () => 0,
  );
  await expect(session.token()).rejects.toMatchObject({ problem: { code: 'unreachable' } });
  expect(session.state).toBe('signed-in');
});

it('shows who signed in, and nothing where the token does not say', () => {
  const claims = btoa(JSON.stringify({ username: 'ann' }));
  expect(new Session(tokens(`x.${claims}.y`, 0), issuer(vi.fn())).person).toBe('ann');
  expect(new Session(tokens('opaque', 0), issuer(vi.fn())).person).toBe('');
});
