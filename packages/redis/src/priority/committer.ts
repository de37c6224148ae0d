import type * as core from 'mempool-core/backend';
import type { MirrorReport, Reply } from '../connection/script.ts';
import type { Argument } from '../connection/script-call.ts';
import { isKnown, type MirrorSync, tooLate } from './mirror-sync.ts';
import {
  commitArguments,
  fencedOutcome,
  isWritten,
  type PlannedAt,
  type PlannedStep,
  planOn,
  recalled,
  ticketOf,
  type WriteCall,
} from './write-call.ts';

/** What became of one attempt of a call. */
export type Attempt<T> =
  | { readonly kind: 'done'; readonly outcome: T | core.FencedOutcome }
  /** Nothing is to be written, if the mirror is up to date. */
  | { readonly kind: 'unwritten'; readonly outcome: T }
  | { readonly kind: 'refused'; readonly error: unknown }
  /** The pool was not at the mirror's version, or it is another node's turn. Nothing was written. `before`: nodes whose turn comes first. */
  | { readonly kind: 'behind'; readonly before: number; readonly isCurrent: boolean }
  /** Another node has a ticket. */
  | { readonly kind: 'blocked' };

/** What a node does when it has written, in the words of lua/priority/turns.lua. */
export type More = '' | 'more' | 'serves';

/** How many transactions the calls have that are committed by one script: what a script costs by itself is much for one, and little for so many. */
const mostInOneScript = 32;

type CommitReply = Reply<'commit'>;

interface Sending {
  readonly begunMs: number;
  readonly more: More;
  readonly deadline: number;
}

/** A commit that is to be sent. */
interface Prepared<T> extends PlannedStep<T>, Pick<Sending, 'begunMs'> {
  readonly call: WriteCall<T>;
  readonly stamp: string;
  readonly at: PlannedAt;
  readonly args: readonly Argument[];
}

interface Sent<T> extends Omit<Prepared<T>, 'args'> {
  /** `undefined` if a step before it in the same script was not carried out. */
  readonly reply: Promise<CommitReply | undefined>;
}

/** Plans calls on the mirror and commits them, one at a time: each is planned on the result of the one before. */
export class Committer {
  readonly #link: MirrorSync;
  readonly #id: string;
  #stamps = 0;
  #last: Promise<unknown> = Promise.resolve();
  /** Whether it was this node's turn at the last commit, and the turn goes on. */
  #hasTurn = false;

  constructor(link: MirrorSync, id: string) {
    this.#link = link;
    this.#id = id;
  }

  #lastMs = 0;
  ticket(call: WriteCall<unknown>): Argument[] {
    return [this.#id, ...ticketOf(call, this.#lastMs)];
  }

  get hasTurn(): boolean {
    return this.#hasTurn;
  }

  /** Runs works one after the other, in the order in which they came. */
  inOrder<T>(work: () => Promise<T>): Promise<T> {
    const running = this.#last.then(work);
    this.#last = running.catch(() => undefined);
    return running;
  }

  /** Plans a call, and commits it if the pool is still at the mirror's version. Otherwise the mirror catches up, at least in part. */
  async attempt<T>(call: WriteCall<T>, more: () => More, deadline: number): Promise<Attempt<T>> {
    const { clock } = this.#link.node.options;
    const mirror = await this.#link.mirror(deadline);
    const begunMs = clock();
    if (begunMs >= deadline) throw tooLate();
    const planned = planOn(mirror, call, this.#link.clock.now());
    if ('refused' in planned) return { kind: 'refused', error: planned.refused };
    if (!isWritten(planned, call)) return { kind: 'unwritten', outcome: planned.step.outcome };
    const prepared = this.#prepare(call, planned, planned.at, { begunMs, more: more(), deadline });
    const reply = await this.#link.send(call.script, prepared.args, deadline, call.ids);
    return this.#settle(prepared, mirror, reply, deadline);
  }

  /**
   * Plans calls of `receive` one on the result of the other, and commits them, each as a step of its own: several small ones by one script, large
   * ones while the next are planned. Returns what became of the first of them, at least of one.
   */
  async attemptAll<T>(calls: readonly WriteCall<T>[], more: () => More, deadline: number): Promise<Attempt<T>[]> {
    const [first] = calls;
    if (calls.length === 1 && first !== undefined) return [await this.attempt(first, more, deadline)];
    const mirror = await this.#link.mirror(deadline);
    const begunMs = this.#link.node.options.clock();
    if (begunMs >= deadline) throw tooLate();
    const sent = this.#sendAll(mirror, calls, { begunMs, more: more(), deadline });
    await Promise.allSettled(sent.map((each) => ('reply' in each ? each.reply : null)));
    const tried: Attempt<T>[] = [];
    let holds = true;
    for (const each of sent) {
      if (!('reply' in each)) {
        tried.push(each);
        continue;
      }
      const reply = await each.reply;
      const word = String(reply?.[0]);
      // A step is refused together with the one on whose result it was planned.
      const isOver = holds || word === 'done' || word === 'known';
      tried.push(reply && isOver ? await this.#settle(each, mirror, reply, deadline) : withoutBase(each));
      holds &&= word === 'done';
    }
    return tried;
  }

  #sendAll<T>(mirror: core.MirroredPool, calls: readonly WriteCall<T>[], sending: Sending): (Sent<T> | Attempt<T>)[] {
    const nowMs = this.#link.clock.now();
    const ahead = calls.map((call) => {
      const hashes = call.left?.submissions.map(({ hash }) => hash) ?? [];
      return { call, hashes, plan: (pool: core.Planning) => call.plan(pool, nowMs) };
    });
    const sent: (Sent<T> | Attempt<T>)[] = [];
    let waiting: Prepared<T>[] = [];
    let size = 0;
    const send = (): void => {
      sent.push(...this.#sendPrepared(waiting, sending.deadline));
      waiting = [];
      size = 0;
    };
    let { position } = mirror;
    let follows = false;
    const take = ({ call, hashes }: (typeof ahead)[number], planned: core.PlannedAhead): void => {
      if ('refused' in planned) {
        send();
        sent.push({ kind: 'refused', error: planned.refused });
        return;
      }
      const { change, entryBefore } = planned;
      const step = planned.step as core.Step<T>;
      if (!isWritten({ step, change }, call)) {
        send();
        sent.push({ kind: 'unwritten', outcome: step.outcome });
        return;
      }
      if (size + hashes.length > mostInOneScript || waiting.some(({ call: { ids } }) => ids !== call.ids)) send();
      const at = { pool: mirror.pool, position, entryBefore, follows };
      const prepared = this.#prepare(call, { step, change }, at, sending);
      waiting.push(prepared);
      size += hashes.length;
      // The server works on it while the next is planned.
      if (size >= mostInOneScript) send();
      follows = true;
      if (change !== null) position = { ...position, version: position.version + 1, stamp: prepared.stamp };
    };
    mirror.pool.planAhead(ahead, take);
    send();
    return sent;
  }

  #prepare<T>(
    call: WriteCall<T>,
    { step, change }: PlannedStep<T>,
    at: PlannedAt,
    { begunMs, more }: Sending,
  ): Prepared<T> {
    this.#stamps += 1;
    const stamp = `${this.#id}.${this.#stamps}`;
    call.sent.set(stamp, step.outcome);
    const { clock } = this.#link.node.options;
    const turn = [this.#id, Math.ceil(Math.max(call.needMs, clock() - begunMs)), more];
    const own = this.#link.node.options.now?.() ?? '';
    const ticket = ticketOf(call, clock() - begunMs);
    const args = commitArguments(call, at, { step, change, own }, stamp, turn, ticket);
    return { call, step, change, stamp, begunMs, at, args };
  }

  /** Sends commits of `receive` in one script. */
  #sendPrepared<T>(prepared: readonly Prepared<T>[], deadline: number): Sent<T>[] {
    const [first] = prepared;
    if (first === undefined) return [];
    const { script, ids } = first.call;
    const replies: Promise<CommitReply[]> =
      prepared.length === 1
        ? this.#link.send(script, first.args, deadline, ids).then((reply) => [reply])
        : this.#link.send(
            'commitAll',
            prepared.flatMap(({ args }) => [args.length, ...args]),
            deadline,
            ids,
          );
    return prepared.map(({ args: _, ...one }, i) => {
      const reply = replies.then((all) => all[i]);
      // The answer may be looked at only after others.
      reply.catch(() => undefined);
      return { ...one, reply };
    });
  }

  /** Takes over the answer to a commit. */
  async #settle<T>(
    sent: Omit<Prepared<T>, 'args'>,
    mirror: core.MirroredPool,
    reply: CommitReply,
    deadline: number,
  ): Promise<Attempt<T>> {
    const { call, step, change, stamp, at } = sent;
    const { position, follows } = at;
    this.#lastMs = this.#link.node.options.clock() - sent.begunMs;
    call.needMs = Math.max(call.needMs, this.#lastMs);
    // The outcome of another node's call is for that node to read.
    if (isKnown(reply)) return { kind: 'done', outcome: call.from === null ? recalled(call, reply[1]) : step.outcome };
    const report = reply as MirrorReport;
    switch (String(reply[0])) {
      case 'done':
        this.#link.learnTime(report);
        if (change !== null) mirror.applyOwn(position, { ...change, at: Number(reply[6]) }, stamp);
        this.#hasTurn = report[5] === 1;
        return { kind: 'done', outcome: step.outcome };
      case 'fenced':
        return { kind: 'done', outcome: fencedOutcome(reply) };
      case 'blocked':
        call.sent.delete(stamp);
        call.refusals += 1;
        return { kind: 'blocked' };
      default: {
        call.sent.delete(stamp);
        if (!follows) this.#hasTurn = false;
        call.refusals += 1;
        call.reloads ||= String(reply[0]) === 'reload';
        const isCurrent = await this.#link.follow(mirror, position, report, deadline);
        return { kind: 'behind', before: report[5], isCurrent };
      }
    }
  }
}

/** The outcome of a step that was planned on the result of another one, which was not carried out then. */
function withoutBase<T>({ call, stamp }: Sent<T>): Attempt<T> {
  call.sent.delete(stamp);
  return { kind: 'behind', before: 0, isCurrent: false };
}
