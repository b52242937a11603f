import { type Message, nameOf, type Topic, toldAt, topicOf } from './messages';

interface Subscription {
  topic: Topic;
  watchers: number;
  /** Whether the server has ever said that the subscription stands. */
  stood: boolean;
  /** Whether the server stands by it on this connection, was asked to and has not answered, or refused. */
  answer: 'asked' | 'stands' | 'refused';
}

/** What is watched, and what has been seen of it: all that a new connection needs in order to go on without loss. */
export class Subscriptions {
  private readonly held = new Map<string, Subscription>();
  private newest: string | undefined;
  /** How many refusals came that nobody can assign yet: a refusal does not name its topic. */
  private refusals = 0;

  constructor(private readonly versionOf: (operationId: string) => number | undefined) {}

  get size(): number {
    return this.held.size;
  }

  /** How many topics are asked for and not answered. */
  get asking(): number {
    return this.having('asked').length;
  }

  /** What the server stands by, as it last said. */
  get standing(): readonly Topic[] {
    return this.having('stands');
  }

  /** What the server does not tell of on this connection. */
  get refused(): readonly Topic[] {
    return this.having('refused');
  }

  /** What is held though nobody watches it any more, the oldest first. */
  get abandoned(): readonly Topic[] {
    return [...this.held.values()].filter(({ watchers }) => watchers === 0).map(({ topic }) => topic);
  }

  /** Watch a topic; gives whether it was not held yet. */
  add(topic: Topic): boolean {
    const held = this.held.get(nameOf(topic));
    if (held) {
      held.watchers += 1;
      return false;
    }
    this.held.set(nameOf(topic), { topic, watchers: 1, stood: false, answer: 'asked' });
    return true;
  }

  /** Watch a topic no more; gives whether nobody does now. It is held until it is dropped. */
  abandon(topic: Topic): boolean {
    const held = this.held.get(nameOf(topic));
    return held !== undefined && --held.watchers === 0;
  }

  /** Hold a topic no more, unless somebody watches it again; gives whether it is gone now. */
  drop(topic: Topic): boolean {
    return this.held.get(nameOf(topic))?.watchers === 0 && this.held.delete(nameOf(topic));
  }

  /** Begin a connection: give what to send for everything that is watched. */
  resumed(): object[] {
    this.refusals = 0;
    return [...this.held.values()].map(({ topic }) => this.asked(topic));
  }

  /** Give what to send to subscribe to a topic, with what has been seen of it already. */
  asked(topic: Topic): object {
    const held = this.held.get(nameOf(topic));
    if (held) {
      held.answer = 'asked';
    }
    const after = held?.stood ? this.newest : undefined;
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
    const answered = message.type === 'subscribed' ? this.named(message.topic) : undefined;
    if (message.type !== 'subscribed' || !answered) {
      return null;
    }
    const unseen = !answered.stood || !message.complete;
    answered.stood = true;
    answered.answer = 'stands';
    this.assign();
    return unseen ? answered.topic : null;
  }

  /** Note that one of those asked for was refused: which one is known once the others are answered. */
  refuse(): void {
    this.refusals += 1;
    this.assign();
  }

  /** Whether a topic is held, by the server's name for it. */
  holds(name: string): boolean {
    return this.named(name) !== undefined;
  }

  private assign(): void {
    const asked = [...this.held.values()].filter(({ answer }) => answer === 'asked');
    if (this.refusals >= asked.length) {
      this.refusals = 0;
      for (const each of asked) {
        each.answer = 'refused';
      }
    }
  }

  private named(name: string): Subscription | undefined {
    const topic = topicOf(name);
    return topic === null ? undefined : this.held.get(nameOf(topic));
  }

  private having(wanted: Subscription['answer']): Topic[] {
    return [...this.held.values()].filter(({ answer }) => answer === wanted).map(({ topic }) => topic);
  }
}

function later(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) {
    return one ?? other;
  }
  return Date.parse(other) > Date.parse(one) ? other : one;
}
