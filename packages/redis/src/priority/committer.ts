import type * as core from 'mempool-core/backend';
import type { MirrorReport, Reply } from '../connection/script.ts';
import { isKnown, type MirrorSync, tooLate } from './mirror-sync.ts';
import {
  commitArguments,
  fencedOutcome,
  isWritten,
  type PlannedAt,
  type PlannedStep,
  planOn,
  recalled,
  type WriteCall,
} from './write-call.ts';

/** What became of one attempt of a call. */
export type Attempt<T> =
  | { readonly kind: 'done'; readonly outcome: T | core.FencedOutcome }
  /** Nothing is to be written, if the mirror is up to date. */
  | { readonly kind: 'unwritten'; readonly outcome: T }
  | { readonly kind: 'refused'; readonly error: unknown }
  /** The pool was not at the mirror's version, or it is another node's turn. Nothing was written. `before`: nodes whose turn comes first. */
  | { readonly kind: 'behind'; readonly before: number };

/** What a node does when it has written, in the words of lua/priority/turns.lua. */
export type More = '' | 'more' | 'serves';

type CommitReply = Reply<'commit'>;

interface Sending {
  readonly begunMs: number;
  readonly more: More;
  readonly deadline: number;
}

/** A commit that was sent. */
interface Sent<T> extends PlannedStep<T>, Pick<Sending, 'begunMs'> {
  readonly call: WriteCall<T>;
  readonly stamp: string;
  readonly at: PlannedAt;
  readonly reply: Promise<CommitReply>;
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
    const sent = this.#send(call, planned, planned.at, { begunMs, more: more(), deadline });
    return this.#settle(sent, mirror, await sent.reply, deadline);
  }

  /**
   * Plans calls of `receive` one on the result of the other, and commits them in one piece, each as a step of its own. Returns what became of
   * the first of them, at least of one.
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
      const word = String(reply[0]);
      // A step is refused together with the one on whose result it was planned.
      const isOver = holds || word === 'done' || word === 'known';
      tried.push(isOver ? await this.#settle(each, mirror, reply, deadline) : withoutBase(each));
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
    let { position } = mirror;
    let follows = false;
    const take = ({ call }: { readonly call: WriteCall<T> }, planned: core.PlannedAhead): void => {
      if ('refused' in planned) {
        sent.push({ kind: 'refused', error: planned.refused });
        return;
      }
      const { change, entryBefore } = planned;
      const step = planned.step as core.Step<T>;
      if (!isWritten({ step, change }, call)) {
        sent.push({ kind: 'unwritten', outcome: step.outcome });
        return;
      }
      const one = this.#send(call, { step, change }, { pool: mirror.pool, position, entryBefore, follows }, sending);
      sent.push(one);
      follows = true;
      if (change !== null) position = { ...position, version: position.version + 1, stamp: one.stamp };
    };
    this.#link.inOnePiece(() => mirror.pool.planAhead(ahead, take));
    return sent;
  }

  #send<T>(
    call: WriteCall<T>,
    { step, change }: PlannedStep<T>,
    at: PlannedAt,
    { begunMs, more, deadline }: Sending,
  ): Sent<T> {
    this.#stamps += 1;
    const stamp = `${this.#id}.${this.#stamps}`;
    call.sent.set(stamp, step.outcome);
    const { clock } = this.#link.node.options;
    const turn = [this.#id, Math.ceil(Math.max(call.needMs, clock() - begunMs)), more];
    const own = this.#link.node.options.now?.() ?? '';
    const args = commitArguments(call, at, { step, change, own }, stamp, turn);
    const reply = this.#link.send(call.script, args, deadline, call.ids);
    // The answer may be looked at only after others.
    reply.catch(() => undefined);
    return { call, step, change, stamp, begunMs, at, reply };
  }

  /** Takes over the answer to a commit. */
  async #settle<T>(
    sent: Sent<T>,
    mirror: core.MirroredPool,
    reply: CommitReply,
    deadline: number,
  ): Promise<Attempt<T>> {
    const { call, step, change, stamp, at } = sent;
    const { position, follows } = at;
    call.needMs = Math.max(call.needMs, this.#link.node.options.clock() - sent.begunMs);
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
      default:
        call.sent.delete(stamp);
        if (!follows) this.#hasTurn = false;
        await this.#link.follow(mirror, position, report, deadline);
        return { kind: 'behind', before: report[5] };
    }
  }
}

/** The outcome of a step that was planned on the result of another one, which was not carried out then. */
function withoutBase<T>({ call, stamp }: Sent<T>): Attempt<T> {
  call.sent.delete(stamp);
  return { kind: 'behind', before: 0 };
}
