import type * as core from 'mempool-core/backend';
import type { MirrorReport } from '../connection/script.ts';
import { isKnown, type MirrorSync, tooLate } from './mirror-sync.ts';
import {
  commitArguments,
  fencedOutcome,
  isWritten,
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
    return this.#commit(call, mirror, { ...planned, begunMs }, more(), deadline);
  }

  async #commit<T>(
    call: WriteCall<T>,
    mirror: core.MirroredPool,
    { step, change, begunMs }: PlannedStep<T> & { readonly begunMs: number },
    more: More,
    deadline: number,
  ): Promise<Attempt<T>> {
    const { position } = mirror;
    this.#stamps += 1;
    const stamp = `${this.#id}.${this.#stamps}`;
    call.sent.set(stamp, step.outcome);
    const { clock } = this.#link.node.options;
    const turn = [this.#id, Math.ceil(Math.max(call.needMs, clock() - begunMs)), more];
    const own = this.#link.node.options.now?.() ?? '';
    const args = commitArguments(call, mirror, { step, change, own }, stamp, turn);
    const reply = await this.#link.send(call.script, args, deadline, call.ids);
    call.needMs = Math.max(call.needMs, clock() - begunMs);
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
        this.#hasTurn = false;
        await this.#link.follow(mirror, position, report, deadline);
        return { kind: 'behind', before: report[5] };
    }
  }
}
