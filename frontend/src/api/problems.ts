import type { Cause, FieldError, Finding, ProblemBody } from './schema';

/** What every failed call comes to: the API's own problem object, or one of ours where nothing of the kind arrived. */
export class ProblemError extends Error {
  readonly problem: ProblemBody;

  constructor(problem: ProblemBody) {
    super(problem.detail);
    this.name = 'ProblemError';
    this.problem = problem;
  }

  /** Whether the API did not answer at all. */
  get unreachable(): boolean {
    return this.problem.code === UNREACHABLE;
  }
}

export const UNREACHABLE = 'unreachable';

/** How soon something that failed and may pass is tried again, in milliseconds. */
const AGAIN_WITHIN = 5_000;

/** Whether what was thrown may pass without anybody's doing. */
export function mayPass(thrown: unknown): boolean {
  return thrown instanceof ProblemError && (thrown.problem.retryable || thrown.unreachable);
}

/** When a query is to be read again, in milliseconds: soon while it fails, so that whoever sees that sees it heal. */
export function readAgain(error: unknown, usually: number | false = false): number | false {
  return mayPass(error) ? AGAIN_WITHIN : usually;
}

/** A problem that no answer told: the network, or something between here and the API, failed. */
export function unreachable(): ProblemError {
  return new ProblemError({
    ...blank(0),
    code: UNREACHABLE,
    title: 'No answer',
    detail: 'The API does not answer.',
    remedy: 'Check the network and that the control plane runs. This page tries again by itself.',
    retryable: true,
  });
}

/** Read the body of an error answer; gateways before the API say no more than `message`. */
export function problemOf(status: number, body: unknown): ProblemBody {
  const told = isObject(body) ? body : {};
  const problem = blank(status);
  return {
    ...problem,
    title: text(told.title) ?? problem.title,
    code: text(told.code) ?? problem.code,
    detail: text(told.detail) ?? text(told.message) ?? problem.detail,
    remedy: text(told.remedy) ?? remedyOf(status),
    retryable: typeof told.retryable === 'boolean' ? told.retryable : status >= 500 || status === 429,
    errors: Array.isArray(told.errors) ? told.errors.flatMap(fieldErrorOf) : [],
    cause: isObject(told.cause) ? (told.cause as unknown as Cause) : null,
    operation_id: text(told.operation_id),
    request_id: text(told.request_id),
  };
}

/** The problem behind anything that was thrown; a fault of this console is told as one. */
export function problemIn(thrown: unknown): ProblemBody {
  if (thrown instanceof ProblemError) {
    return thrown.problem;
  }
  return {
    ...blank(0),
    code: 'console_fault',
    title: 'The console failed',
    detail: thrown instanceof Error ? thrown.message : String(thrown),
    remedy: 'Reload the page. Nothing is lost: operations go on without it.',
  };
}

/** What is wrong with a field of a request, and what would be right. */
export interface Complaint {
  field: string;
  message: string;
  allowed?: readonly string[] | null;
  /** What helps, where that is not the same for all complaints. */
  remedy?: string | null;
}

/**
 * Sort complaints to the fields of a form: `fields` are those it shows, by the API's names.
 *
 * A complaint about `hyperpod.instance_groups.0.name` goes to the longest of them that leads to it; `elsewhere` keeps
 * those that no field shows.
 */
export function byField(complaints: readonly Complaint[], fields: readonly string[]): SortedComplaints {
  const at: Record<string, string> = {};
  const elsewhere: Complaint[] = [];
  for (const complaint of complaints) {
    const field = fieldOf(complaint.field, fields);
    if (field === undefined) {
      elsewhere.push(complaint);
    } else {
      at[field] = [at[field], helped(complaint)].filter(Boolean).join(' ');
    }
  }
  return { at, elsewhere };
}

/** The field, of those that a form shows, at which something is told of another; undefined where there is none. */
export function fieldOf(told: string, fields: readonly string[]): string | undefined {
  return fields.filter((each) => leadsTo(each, told)).sort((a, b) => b.length - a.length)[0];
}

export interface SortedComplaints {
  at: Readonly<Record<string, string>>;
  elsewhere: readonly Complaint[];
}

/** What a problem complains of; what helps against the first of them is told of the problem alone. */
export function complaintsOf({ errors = [], remedy }: ProblemBody): Complaint[] {
  return errors.map((error, index) => (index === 0 ? { ...error, remedy: error.remedy ?? remedy } : error));
}

/** The complaints among what a dry run found out: those that refuse the request. */
export function complaintsIn(findings: readonly Finding[]): Complaint[] {
  return findings
    .filter((finding) => finding.level === 'error')
    .map(({ field, message, allowed, remedy }) => ({ field: field ?? '', message, allowed, remedy }));
}

/** A complaint as a sentence, with what would be right. */
export function worded({ message, allowed }: Complaint): string {
  return allowed?.length ? `${message}. Allowed: ${allowed.join(', ')}.` : message;
}

/** As that, with what helps, where there is place for text alone. */
function helped(complaint: Complaint): string {
  const said = worded(complaint);
  return complaint.remedy ? `${/[.!?]$/.test(said) ? said : `${said}.`} What helps: ${complaint.remedy}` : said;
}

function leadsTo(field: string, complaint: string): boolean {
  const named = complaint.replace(/\[(\d+)\]/g, '.$1').replace(/^body\./, '');
  return named === field || named.startsWith(`${field}.`);
}

function fieldErrorOf(value: unknown): FieldError[] {
  if (!isObject(value)) {
    return [];
  }
  const allowed = Array.isArray(value.allowed) ? value.allowed.map(String) : null;
  const message = text(value.message) ?? 'is refused';
  return [{ field: text(value.field) ?? '', message, allowed, remedy: text(value.remedy) }];
}

function blank(status: number): ProblemBody {
  return {
    type: 'about:blank',
    title: 'The request failed',
    status,
    code: `http_${status}`,
    detail: `The API answered with status ${status} and did not say why.`,
    errors: [],
    cause: null,
    remedy: null,
    retryable: false,
    operation_id: null,
    request_id: null,
  };
}

function remedyOf(status: number): string | null {
  if (status === 403) {
    return 'Your groups do not grant this. Ask an administrator for one that does, then sign in again.';
  }
  return status >= 500 ? 'Try again in a moment. If it goes on, look at the logs of the deployment.' : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
