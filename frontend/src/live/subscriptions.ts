import { type Message, nameOf, type Topic, toldAt } from './messages';

interface Subscription {
  topic: Topic;
  watchers: number;
  /** Whether the server has ever said that the subscription stands. */
  stood: boolean;
}

/** What is watched, and what has been seen of it: all that a new connection needs in order to go on without loss. */
export class Subscriptions {
  private readonly held = new Map<string, Subscription>();
  private newest: string | undefined;

  constructor(private readonly versionOf: (operationId: string) => number | undefined) {}

  get size(): number {
    return this.held.size;
  }

  /** Watch a topic; gives whether nobody did before. */
  add(topic: Topic): boolean {
    const held = this.held.get(nameOf(topic));
    if (held) {
      held.watchers += 1;
      return false;
    }
    this.held.set(nameOf(topic), { topic, watchers: 1, stood: false });
    return true;
  }

  /** Watch a topic no more; gives whether nobody does now. */
  remove(topic: Topic): boolean {
    const held = this.held.get(nameOf(topic));
    if (!held || --held.watchers > 0) {
      return false;
    }
    this.held.delete(nameOf(topic));
    return true;
  }

  /** Begin a connection: give what to send for everything that is watched. */
  resumed(): object[] {
    return [...this.held.values()].map((each) => this.asked(each.topic));
  }

  /** Give what to send to subscribe to a topic, with what has been seen of it already. */
  asked(topic: Topic): object {
    const after = this.held.get(nameOf(topic))?.stood ? this.newest : undefined;
    const version = 'operation_id' in topic ? this.versionOf(topic.operation_id) : undefined;
    return {
      action: 'subscribe',
      ...topic,
      ...(after !== undefined && { after }),
      ...(version !== undefined && { after_version: version }),
    };
  }

  /** Note what was told. Gives the topic of which something may have been missed: it is new, or too much was. */
  told(message: Message): Topic | null {
    this.newest = later(this.newest, toldAt(message));
    if (message.type !== 'subscribed') {
      return null;
    }
    const answered = [...this.held.values()].find(({ topic }) => isTopic(message.topic, topic));
    if (!answered) {
      return null;
    }
    const unseen = !answered.stood || !message.complete;
    answered.stood = true;
    return unseen ? answered.topic : null;
  }
}

/** Whether the server means a topic by a name; it alone knows the name of who asks. */
function isTopic(name: string, topic: Topic): boolean {
  if ('operation_id' in topic) {
    return name === `operation#${topic.operation_id}`;
  }
  return 'cluster_tag' in topic ? name === `cluster#${topic.cluster_tag}` : name.startsWith('caller#');
}

function later(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) {
    return one ?? other;
  }
  return Date.parse(other) > Date.parse(one) ? other : one;
}
