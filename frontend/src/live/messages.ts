import { problemOf } from '../api/problems';
import type { AuditEntry, ClusterEvent, Operation, ProblemBody } from '../api/schema';

/** What may be watched: one operation, one cluster, what whoever looks began, or all that anybody begins. */
export type Topic = { operation_id: string } | { cluster_tag: string } | { mine: true } | { all: true };

/** What the WebSocket tells; the server's `functions/connections/messages.py` says when. */
export type Message =
  | { type: 'operation'; operation_id: string; version: number; operation: Operation | null }
  | { type: 'audit'; entry: AuditEntry }
  | { type: 'cluster_event'; event: ClusterEvent }
  | { type: 'subscribed'; topic: string; at: string; complete: boolean }
  | { type: 'unsubscribed'; topic: string }
  | { type: 'pong' }
  | { type: 'problem'; problem: ProblemBody };

const KNOWN: ReadonlySet<string> = new Set<Message['type']>([
  'operation',
  'audit',
  'cluster_event',
  'subscribed',
  'unsubscribed',
  'pong',
  'problem',
]);

// What the gateway says where it, or what is behind it, does not get to answer.
const UNAVAILABLE = 503;

/** Read a message; null for one that is of a newer API, or none at all. */
export function messageOf(data: unknown): Message | null {
  try {
    const read: unknown = JSON.parse(String(data));
    if (typeof read !== 'object' || read === null) {
      return null;
    }
    if (!('type' in read)) {
      return 'message' in read && 'connectionId' in read
        ? { type: 'problem', problem: problemOf(UNAVAILABLE, read) }
        : null;
    }
    return KNOWN.has(String(read.type)) ? (read as Message) : null;
  } catch {
    return null;
  }
}

/** One text for a topic, by which two watchers of the same share a subscription. */
export function nameOf(topic: Topic): string {
  return JSON.stringify(topic);
}

/** The topic that the server means by a name; null for one of a newer API. It alone knows the name of who asks. */
export function topicOf(name: string): Topic | null {
  const [, kind, rest = ''] = /^(operation|cluster|caller|all$)#?(.*)$/s.exec(name) ?? [];
  switch (kind) {
    case 'operation':
      return { operation_id: rest };
    case 'cluster':
      return { cluster_tag: rest };
    case 'caller':
      return { mine: true };
    case 'all':
      return { all: true };
    default:
      return null;
  }
}

/** When the server wrote what a message tells, by its own clock; undefined where it does not say. */
export function toldAt(message: Message): string | undefined {
  switch (message.type) {
    case 'operation':
      return message.operation?.updated_at;
    case 'audit':
      return message.entry.at;
    case 'cluster_event':
      return message.event.recorded_at;
    case 'subscribed':
      return message.at;
    default:
      return undefined;
  }
}
