import { QueryClient } from '@tanstack/react-query';
import { beforeEach, expect, it } from 'vitest';
import { merge } from '../live/merge';
import { operation, stage } from '../live/operations.fixture';
import { apiOf } from './client';
import { keys } from './keys';
import { keep, operationQuery, operationsRead, unlisted, whole } from './operations';
import type { Operation } from './schema';

let cache: QueryClient;
beforeEach(() => {
  cache = new QueryClient();
});

const known = () => cache.getQueryData<Operation>(keys.operations.one('op-1'));
const tell = (version: number, more: Partial<Operation> = {}) =>
  merge(
    cache,
    { type: 'operation', operation_id: 'op-1', version, operation: operation(version, more) },
    () => undefined,
  );

/** An API that answers, and during whose answer something newer is told. */
function overtaken(body: object, version: number, more: Partial<Operation> = {}) {
  const api = apiOf({ api_url: 'http://localhost/api' } as Parameters<typeof apiOf>[0], async () => null);
  api.use({
    onRequest: () => {
      tell(version, more);
      return Response.json(body);
    },
  });
  return api;
}

it('is not put back by an answer that comes after something newer was told', async () => {
  await cache.fetchQuery(operationQuery(overtaken(operation(3), 5), cache, 'op-1'));
  expect(known()?.version).toBe(5);
});

it('is brought forward by an answer that is newer than what was told', async () => {
  await cache.fetchQuery(operationQuery(overtaken(operation(7), 5), cache, 'op-1'));
  expect(known()?.version).toBe(7);
});

it('is not put back by the answer to what began or cancelled it', () => {
  tell(5);
  keep(cache, operation(4, { status: 'PENDING' }));
  expect(known()?.version).toBe(5);
});

it('is not put back in a list either', async () => {
  const answer = { operations: [operation(3)], next_token: null };
  const page = await operationsRead(overtaken(answer, 5), cache, { next_token: undefined });
  expect(page.operations.map(({ version }) => version)).toEqual([5]);
});

it('is left out of a list that it no longer belongs to by what was told meanwhile', async () => {
  const answer = { operations: [operation(3), operation(3, { operation_id: 'op-2' })], next_token: null };
  const api = overtaken(answer, 5, { status: 'SUCCEEDED' });
  const page = await operationsRead(api, cache, { status: 'RUNNING', next_token: undefined });
  expect(page.operations.map(({ operation_id }) => operation_id)).toEqual(['op-2']);
});

it('shows what the list says where that is newer, with the stages that are known', () => {
  const listed = operation(9, { stages: [], status: 'CANCELLING' });
  const stages = [stage(10, 'SUCCEEDED')];
  expect(whole(listed, operation(8, { stages }))).toMatchObject({ version: 9, status: 'CANCELLING', stages });
  expect(whole(listed, undefined)).toEqual(listed);
  expect(whole(listed, operation(10, { stages }))).toMatchObject({ version: 10, stages });
});

it('knows which of the operations at work a list does not reach back to, once each', () => {
  expect(unlisted([operation(1)], ['op-1', 'op-0', 'op-0'])).toEqual(['op-0']);
});
