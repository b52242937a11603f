import type { Api } from './client';
import { answered } from './client';
import type { Operation, Previewed, ProblemBody, paths } from './schema';

/** The routes that change something: they answer a dry run with a preview, and else with an operation. */
type Answers<Route> = Route extends { responses: { 202: { content: { 'application/json': Operation } } } }
  ? Route
  : never;
type Method = 'post' | 'patch' | 'delete';
export type ChangingPath<Verb extends Method> = {
  [Path in keyof paths]: Answers<paths[Path][Verb]> extends never ? never : Path;
}[keyof paths];

/** A body of which only what a person touched is sent; what is left out takes the API's default. */
export type Touched<Value> = Value extends readonly (infer Item)[]
  ? readonly Touched<Item>[]
  : Value extends object
    ? { [Name in keyof Value]?: Touched<Value[Name]> }
    : Value;

type BodyOf<Route> = Route extends { requestBody?: { content: { 'application/json': infer Body } } }
  ? Touched<Body>
  : never;
type PathOf<Route> = Route extends { parameters: { path: infer Named } } ? Named : never;
type QueryOf<Route> = Route extends { parameters: { query?: infer Query } }
  ? Omit<NonNullable<Query>, 'dry_run' | 'confirm'>
  : never;

interface Parts {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** What somebody wants to be done: to be previewed, confirmed and begun, always as the same request. */
export interface Wish extends Parts {
  method: Method;
  route: string;
  /** What it is known by again; a name that the API makes up for its preview is made up of this, and stays. */
  key?: string;
}

// Something else would happen by now than was previewed, or that was too long ago to be confirmed.
const OUTDATED: ReadonlySet<string> = new Set(['preview_outdated', 'confirmation_required']);

/** Whether a wish was refused because its preview no longer holds: it is to be looked at anew. */
export function isOutdated({ code }: Pick<ProblemBody, 'code'>): boolean {
  return OUTDATED.has(code);
}

/** Word a wish: `wish('delete', '/api/clusters/{tag}', { path: { tag } })`. */
export function wish<Verb extends Method, Route extends ChangingPath<Verb>>(
  method: Verb,
  route: Route,
  parts: {
    path?: PathOf<paths[Route][Verb]>;
    query?: QueryOf<paths[Route][Verb]>;
    body?: BodyOf<paths[Route][Verb]>;
  } = {},
): Wish {
  return { method, route, ...(parts as Parts) };
}

/** Ask what a wish would come to; nothing is changed. */
export function previewed(api: Api, wanted: Wish): Promise<Previewed> {
  return answered(sent<Previewed>(api, wanted, { dry_run: true }, wanted.key ? { 'idempotency-key': wanted.key } : {}));
}

/** Begin a wish. The same `key` begins it once, however often it is sent. */
export function begun(api: Api, wanted: Wish, key: string, confirm?: string): Promise<Operation> {
  return answered(sent<Operation>(api, wanted, { confirm }, { 'idempotency-key': key }));
}

// The client's own types are those of one route at a time; `wish` has checked the parts against theirs.
type Sender = (
  method: Method,
  route: string,
  init: { params: object; body?: unknown; headers: Record<string, string> },
) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

function sent<Answer>(
  api: Api,
  { method, route, path, query, body }: Wish,
  more: Record<string, unknown>,
  headers: Record<string, string> = {},
) {
  const send = api.request as unknown as Sender;
  const params = { path, query: { ...query, ...more } };
  return send(method, route, { params, body, headers }) as Promise<{
    data?: Answer;
    error?: unknown;
    response: Response;
  }>;
}
