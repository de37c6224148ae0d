import type { Command, Redis } from 'ioredis';
import { MempoolError } from 'mempool-core';
import { retryUntil } from 'mempool-core/backend';
import { Link } from '../connection/link.ts';
import { type Argument, command } from '../connection/script-call.ts';
import type { Node } from '../pool/pool-reader.ts';

/** A call that a node left for the node whose turn it is. */
export interface LeftCall {
  /** Its place on the intake. */
  readonly place: string;
  readonly id: string;
  readonly ids: 'ops' | 'calls';
  /** Where its node waits for the outcome. */
  readonly answers: string;
  /** The server's time in milliseconds, after which nobody waits for it. */
  readonly endsAt: number;
  /** As `encodeReceiveCall` returns it. */
  readonly record: Buffer;
}

/** How many calls there are at most: more nodes that wait help themselves. */
const mostCalls = 32;
/** Larger calls are not left to others: as many as there may be would take much of the server's memory. */
export const largestRecord: number = 256 * 1024;
/** As in lua/priority/commit.lua. */
const keptMs = 10_000;
/** How long the answer of a blocking read may take beyond its time. Then the connection is replaced. */
const answerMs = 1_000;
const unavailable = 'ERR_MEMPOOL_UNAVAILABLE';

type Entries = [id: Buffer, fields: Buffer[]][];

/**
 * The calls that nodes leave for the node whose turn it is, in a stream, and the stream where this node waits for its outcomes. Both are only a
 * help: every call has an id under which its outcome is recorded, so a node that gets no answer carries out its call by itself. It has a connection
 * of its own, because it waits in blocking reads.
 */
export class Intake {
  readonly #connect: () => Link;
  readonly #calls: string;
  readonly #meta: string;
  readonly #answers: string;
  readonly #begin: () => Promise<unknown>;
  readonly #clock: () => number;
  #link: Link | null = null;
  #isOpen = false;
  #opening: Promise<unknown> | null = null;
  #isClosed = false;
  /** The last answer that was read. */
  #answered = '0-0';
  /** The last call that was read. */
  #read = '0-0';
  /** When this node last said how long the calls are kept. */
  #keptAt = Number.NEGATIVE_INFINITY;

  constructor({ options, prefix }: Pick<Node, 'options' | 'prefix'>, name: string) {
    const { timeoutMs, clock } = options;
    this.#clock = clock;
    this.#begin = () => retryUntil({ timeoutMs, clock, signal: undefined }, () => this.begin());
    this.#connect = () => new Link(options, prefix, () => undefined);
    this.#calls = `${prefix}:intake`;
    this.#meta = `${prefix}:meta`;
    this.#answers = `${prefix}:answers:${name}`;
  }

  /** True when its connection is there. It is made when nodes are in each other's way for the first time. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Makes the connection. @throws MempoolError if that takes longer than a call may */
  open(): Promise<unknown> {
    this.#opening ??= this.#begin().finally(() => (this.#opening = null));
    return this.#opening;
  }

  /** The place of the last call that was read. */
  get place(): string {
    return this.#read;
  }

  close(): void {
    this.#isClosed = true;
    this.#link?.close();
    this.#link = null;
  }

  /**
   * Leaves a call for another node, and waits for its outcome as `answer` does. Both go out in one piece: each piece costs a node as much as
   * the call itself.
   */
  leave(call: Pick<LeftCall, 'id' | 'ids' | 'record'>, leftMs: number, waitMs: number): Promise<Buffer | null> {
    const { id, ids, record } = call;
    const fields = ['id', id, 'ids', ids, 'answers', this.#answers, 'ms', Math.floor(leftMs), 'call', record];
    return this.#answerIn(
      id,
      this.#follow(this.#answers, this.#answered, waitMs, this.#adding(this.#calls, mostCalls, fields)),
    );
  }

  /** The outcome of a call that was left, as it is recorded; empty if this node has to carry it out itself; `null` if there is none within `waitMs`. */
  answer(id: string, waitMs: number): Promise<Buffer | null> {
    return this.#answerIn(id, this.#follow(this.#answers, this.#answered, waitMs));
  }

  async #answerIn(id: string, answers: Promise<Entries>): Promise<Buffer | null> {
    for (const [at, [name, record]] of await answers) {
      this.#answered = String(at);
      if (String(name) === id && record !== undefined) return record;
    }
    return null;
  }

  /** Begins to read the calls of other nodes behind the last one that was carried out. */
  async begin(): Promise<void> {
    const place = await this.#ask([command('HGET', [this.#meta, 'intake'])], answerMs);
    this.#read = place === null ? '0-0' : String(place);
  }

  /** The next calls; none if none comes within `waitMs`. */
  async next(waitMs: number): Promise<LeftCall[]> {
    const found = await this.#follow(this.#calls, this.#read, waitMs);
    return found.flatMap(([at, fields]) => {
      this.#read = String(at);
      const call = readCall(this.#read, fields);
      return call === null ? [] : [call];
    });
  }

  /** Tells a node that it has to carry out its call itself. */
  async decline({ id, answers }: Pick<LeftCall, 'id' | 'answers'>): Promise<void> {
    await this.#ask([command('XADD', [answers, 'MAXLEN', 1, '*', id, '']), expiry(answers)], answerMs);
  }

  /** Adds to the calls. They expire when nobody leaves and nobody carries out any for long, which a node says only now and then. */
  #adding(key: string, most: number, fields: readonly Argument[]): Command[] {
    const added = command('XADD', [key, 'MAXLEN', most, '*', ...fields]);
    if (this.#clock() < this.#keptAt + keptMs / 4) return [added];
    this.#keptAt = this.#clock();
    return [added, expiry(key)];
  }

  async #follow(key: string, from: string, waitMs: number, before: readonly Command[] = []): Promise<Entries> {
    const wait = Math.max(1, Math.ceil(waitMs));
    const reading = command('XREAD', ['COUNT', 100, 'BLOCK', wait, 'STREAMS', key, from]);
    const reply = (await this.#ask([...before, reading], wait + answerMs)) as [[key: Buffer, Entries]] | null;
    return reply?.[0][1] ?? [];
  }

  /** Sends commands in one piece. Returns the answer of the last one, when all have one. */
  async #ask(commands: readonly Command[], timeoutMs: number): Promise<unknown> {
    if (this.#isClosed) throw new MempoolError('ERR_MEMPOOL_CLOSED', 'the store is closed');
    this.#link ??= this.#connect();
    const link = this.#link;
    const send = (client: Redis) => Promise.all(commands.map((each) => client.sendCommand(each) as Promise<unknown>));
    const { name } = commands.at(-1) as Command;
    try {
      const sent = link.inOnePiece(() => link.ask<unknown[]>(send, name, timeoutMs, unavailable));
      const answers = await sent;
      this.#isOpen = true;
      return answers.at(-1);
    } catch (error) {
      this.#isOpen = false;
      throw error;
    }
  }
}

function expiry(key: string): Command {
  return command('PEXPIRE', [key, keptMs]);
}

/** `null` for what another version wrote in another form. */
function readCall(place: string, fields: readonly Buffer[]): LeftCall | null {
  const [, id, , ids, , answers, , ms, , record] = fields;
  const kind = String(ids);
  if (id === undefined || answers === undefined || record === undefined) return null;
  if (kind !== 'ops' && kind !== 'calls') return null;
  const endsAt = Number(place.split('-', 1)[0]) + Number(ms);
  return { place, id: String(id), ids: kind, answers: String(answers), endsAt, record };
}
