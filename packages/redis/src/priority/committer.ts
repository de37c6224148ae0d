import type * as core from 'mempool-core/backend';
import type { Argument } from '../connection/lua-script.ts';
import type { MirrorReport } from '../connection/script.ts';
import { isBlocked, isKnown, type MirrorSync } from './mirror-sync.ts';
import { commitArguments, fencedOutcome, isWritten, planOn, recalled, type WriteCall } from './write-call.ts';

/** The result of one attempt of a call. */
export type Attempt<T> =
  | { readonly kind: 'done'; readonly outcome: T | core.FencedOutcome }
  /** Nothing is to be written, if the mirror is up to date. */
  | { readonly kind: 'unwritten'; readonly outcome: T }
  /** The plan refuses the call, if the mirror is up to date. */
  | { readonly kind: 'refused'; readonly error: unknown }
  /** The pool was not at the mirror's version. Nothing was written. `isCurrent`: the mirror has caught up since. */
  | { readonly kind: 'behind'; readonly isCurrent: boolean }
  /** Another node has a ticket. Nothing was written. */
  | { readonly kind: 'blocked' };

const leastTicketMs = 20;
const longestTicketMs = 2_000;
/** How many commits of a call are refused before the node leaves a ticket. A leader plans long, and the pool must follow the chain. */
const patience = { commit: 2, commitChain: 1 } as const;

/** Plans calls on the mirror and commits them. */
export class Committer {
  readonly #link: MirrorSync;
  readonly #id: string;
  #stamps = 0;
  /** How long the last attempt took, from plan to answer. */
  #attemptMs = 0;

  /** `id`: the name of the node, different from those of all others. */
  constructor(link: MirrorSync, id: string) {
    this.#link = link;
    this.#id = id;
  }

  /** How long a ticket of this node is valid. */
  get ticketMs(): number {
    return Math.ceil(Math.min(longestTicketMs, leastTicketMs + 2 * this.#attemptMs));
  }

  /** The name of the node and the ticket that it leaves for a call, for lua/priority/sync.lua. */
  ticketArguments(call: WriteCall<unknown>): Argument[] {
    return [this.#id, ...(this.#ticketOf(call, 0) ?? [])];
  }

  /** Plans a call, and commits it if the pool is still at the mirror's version. Otherwise the mirror catches up, at least in part. */
  async attempt<T>(call: WriteCall<T>, deadline: number): Promise<Attempt<T>> {
    const { clock, now } = this.#link.node.options;
    const mirror = await this.#link.mirror(deadline);
    const begunMs = clock();
    if (begunMs >= deadline) throw this.#link.tooLate();
    const planned = planOn(mirror, call, this.#link.clock.now());
    if ('refused' in planned) return { kind: 'refused', error: planned.refused };
    const { outcome } = planned.step;
    if (!isWritten(planned, call)) return { kind: 'unwritten', outcome };
    const { position } = mirror;
    this.#stamps += 1;
    const stamp = `${this.#id}.${this.#stamps}`;
    const ticket = this.#ticketOf(call, clock() - begunMs);
    const args = commitArguments(call, planned, { node: this.#id, stamp, ticket, now: now?.() });
    call.sent.set(stamp, outcome);
    const reply = await this.#link.send(call.script, args, deadline, call.ids);
    this.#attemptMs = clock() - begunMs;
    if (isKnown(reply)) return { kind: 'done', outcome: recalled(call, reply[1]) };
    if (String(reply[0]) === 'fenced') return { kind: 'done', outcome: fencedOutcome(reply) };
    if (String(reply[0]) === 'done') {
      const report = reply as MirrorReport;
      this.#link.learnTime(report);
      if (planned.change !== null) mirror.applyOwn(position, { ...planned.change, at: Number(report[5]) }, stamp);
      return { kind: 'done', outcome };
    }
    call.sent.delete(stamp);
    call.refusals += 1;
    if (isBlocked(reply)) return { kind: 'blocked' };
    call.reloads ||= String(reply[0]) === 'reload';
    return { kind: 'behind', isCurrent: await this.#link.follow(mirror, position, reply as MirrorReport, deadline) };
  }

  /** For how long the node leaves a ticket if others overtake it: usually, and if it must load the whole pool, once for a call. */
  #ticketOf(call: WriteCall<unknown>, planMs: number): readonly [usualMs: number, reloadMs: number] | undefined {
    if (call.refusals + 1 < patience[call.script]) return undefined;
    this.#attemptMs = Math.max(this.#attemptMs, planMs);
    return [this.ticketMs, call.reloads ? this.ticketMs : longestTicketMs];
  }
}
