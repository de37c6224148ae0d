import { isMempoolError, MempoolError } from 'mempool-core';
import type { MirroredPool, PoolPosition } from 'mempool-core/backend';
import type { Argument } from '../connection/lua-script.ts';
import { isPoolMissing } from '../connection/refusal.ts';
import {
  type Blocked,
  type Known,
  type MirrorReport,
  priorityScriptKeysOf,
  type Reply,
  type Verb,
} from '../connection/script.ts';
import { within } from '../connection/settling.ts';
import { loadPool } from '../pool/loader.ts';
import type { Node } from '../pool/pool-reader.ts';
import { ServerClock } from './server-clock.ts';

/** The id under which the outcome of a call is recorded: the caller's operation id, or one created here. */
export interface CallId {
  readonly id: string;
  readonly ids: 'ops' | 'calls';
}

export type CaughtUp =
  | { readonly kind: 'known'; readonly record: Buffer }
  /** Another node has a ticket, for so long. */
  | { readonly kind: 'blocked'; readonly ms: number }
  | { readonly kind: 'current' };

/** Loads the mirror of a pool, and updates it from the server. */
export class MirrorSync {
  readonly node: Node;
  readonly clock: ServerClock;
  #mirror: MirroredPool | null = null;
  #loading: Promise<MirroredPool> | null = null;
  #mayBeOld = false;
  /** The refusal of a server that was demoted, until a master has answered. */
  #demotion: MempoolError | null = null;

  constructor(node: Node) {
    this.node = node;
    this.clock = new ServerClock(node.options);
  }

  /** Whether the last report on the mirror had changes: then others write, and may have written since. */
  get mayBeOld(): boolean {
    return this.#mayBeOld;
  }

  /** Returns the mirror without an update, so it may be out of date. */
  async mirror(deadline: number): Promise<MirroredPool> {
    if (this.#mirror?.isBroken) this.#mirror = null;
    return this.#mirror ?? within(this.load(), deadline - this.node.options.clock(), this.tooLate());
  }

  /** Returns the mirror, updated from the server after this call began. */
  async current(deadline: number): Promise<MirroredPool> {
    await this.catchUp({ id: '', ids: 'ops' }, [], deadline);
    return this.mirror(deadline);
  }

  /**
   * Updates the mirror from the server for a call, unless its outcome is recorded or another node has a ticket. `ticket`: as lua/priority/sync.lua
   * has it, or nothing for a read. With `syncWrites`, a recorded outcome is returned once enough replicas have it.
   */
  async catchUp(
    { id, ids }: CallId,
    ticket: readonly Argument[],
    deadline: number,
    verb: 'sync' | 'syncWrites' = 'sync',
  ): Promise<CaughtUp> {
    for (;;) {
      const mirror = await this.mirror(deadline);
      const { position } = mirror;
      const reply = await this.send(verb, [id, ...positionArguments(position), ...ticket], deadline, ids);
      if (isKnown(reply)) return { kind: 'known', record: reply[1] };
      if (isBlocked(reply)) return { kind: 'blocked', ms: reply[1] };
      if (await this.follow(mirror, position, reply, deadline)) return { kind: 'current' };
    }
  }

  /** Applies the server's report on the mirror at `from`. Returns true if the mirror is up to date then. */
  async follow(mirror: MirroredPool, from: PoolPosition, report: MirrorReport, deadline: number): Promise<boolean> {
    const [word, , stamp, , , ...flat] = report;
    const changes = flat.filter((_, i) => i % 2 === 0);
    const times = flat.filter((_, i) => i % 2 === 1).map(Number);
    this.learnTime(report);
    const kind = String(word);
    this.#mayBeOld = kind !== 'current';
    if (kind === 'current') return true;
    if (kind === 'reload' || !this.#take(mirror, from, changes, times, String(stamp))) {
      if (this.#mirror === mirror) this.#mirror = null;
      await this.mirror(deadline);
      return false;
    }
    return kind === 'behind';
  }

  /** Records the server's time. Every answer has it, because either clock may be set at any time. */
  learnTime([, , , seconds, microseconds]: MirrorReport): void {
    this.clock.learn(seconds, microseconds);
  }

  /**
   * Loads a new mirror. All callers share one load. It continues after its callers time out, so that a pool that is too large to load
   * within one call is ready for a later one.
   */
  load(): Promise<MirroredPool> {
    this.#loading ??= this.#loadOnce().finally(() => (this.#loading = null));
    return this.#loading;
  }

  /** Loads a new mirror. `deadlineOfPage` returns the deadline of the next page. */
  async fresh(deadlineOfPage: () => number): Promise<MirroredPool> {
    return loadPool(async (...args) => {
      const reply = await this.send('load', args, deadlineOfPage());
      this.clock.learn(reply[3], reply[4]);
      return reply;
    }, this.node.options.damage);
  }

  /** Sends a script once, before `deadline`. If there is no pool, creates it and throws, so that the call is tried again. */
  async send<V extends Verb>(
    verb: V,
    args: readonly Argument[],
    deadline: number,
    ids: 'ops' | 'calls' = 'ops',
  ): Promise<Reply<V>> {
    const { connection, prefix, options, createPool } = this.node;
    const keys = priorityScriptKeysOf(prefix, ids, options.election);
    const leftMs = () => Math.max(1, deadline - options.clock());
    if (options.clock() >= deadline) throw this.tooLate();
    try {
      const reply = await connection.runOnce(verb, keys, args, leftMs());
      this.#demotion = null;
      return reply;
    } catch (error) {
      if (isMempoolError(error) && isMempoolError(error.cause, 'ERR_MEMPOOL_READ_ONLY')) this.#demotion = error.cause;
      if (!isPoolMissing(error)) throw error;
      await createPool(leftMs());
      throw new MempoolError('ERR_MEMPOOL_UNAVAILABLE', (error as Error).message, { cause: error });
    }
  }

  /** Returns the error of a call whose time was over before it could be sent. The cause is the refusal of a demoted server. */
  tooLate(): MempoolError {
    const cause = this.#demotion ?? undefined;
    return new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'others were quicker until the time was up', { cause });
  }

  /** False if a change is damaged or does not fit: then the mirror must be loaded again. */
  #take(
    mirror: MirroredPool,
    from: PoolPosition,
    changes: readonly Buffer[],
    times: readonly number[],
    stamp: string,
  ): boolean {
    try {
      mirror.follow(from, changes, stamp, times);
      return true;
    } catch (error) {
      this.node.options.log('warn', 'a change that another node wrote is damaged', { cause: String(error) });
      return false;
    }
  }

  async #loadOnce(): Promise<MirroredPool> {
    const { timeoutMs, clock } = this.node.options;
    this.#mirror = await this.fresh(() => clock() + timeoutMs);
    return this.#mirror;
  }
}

export function positionArguments({ epoch, version, stamp }: PoolPosition): Argument[] {
  return [epoch, version, stamp];
}

export function isKnown(reply: Known | readonly unknown[]): reply is Known {
  return String(reply[0]) === 'known';
}

export function isBlocked(reply: Blocked | readonly unknown[]): reply is Blocked {
  return String(reply[0]) === 'blocked';
}
