import { damaged } from '../codec/codec.ts';
import { assertWritable } from '../codec/payload-bytes.ts';
import type { DriverUsage } from '../contract/driver-page.ts';
import { defaultLimits, type Limits } from '../contract/limits.ts';
import type { Retention } from '../contract/options.ts';
import type { Entry, PoolStep } from '../contract/pool-entry.ts';
import type { Transaction } from '../contract/transaction.ts';
import { MemoryPool } from '../memory/memory-pool.ts';
import type { MemoryRecord } from '../memory/pool-records.ts';
import type { ChainStep, Step, Write } from '../rules/step.ts';
import { floorOf } from './eviction.ts';
import { settle, settling } from './placement.ts';
import { PoolIndex } from './pool-index.ts';
import type { Planning } from './step-builder.ts';

/** The changes of a committed step, in the form that other nodes apply. They have no payloads. */
export interface PoolChange {
  readonly writes: readonly Write[];
  readonly chain: ChainStep | null;
  readonly pool: PoolStep;
  readonly lastEventSeq: number;
  /** The time of the call (E5), for the facts of its writes. */
  readonly at: number | null;
}

/** A record of a pool's state, for any storage format. Records come in this order, entries after all writes. */
export type PoolRecord =
  | MemoryRecord
  | { readonly kind: 'limits'; readonly limits: Partial<Limits> }
  | { readonly kind: 'gossip'; readonly lastGossipSeq: number }
  | { readonly kind: 'satisfied'; readonly tag: string; readonly tick: number }
  /** The entry of a transaction that came as a write: a live one, or one in the log with a body. */
  | { readonly kind: 'entry'; readonly entry: Entry };

export interface PriorityPoolParts {
  readonly epoch: string;
  readonly retention: Retention;
  readonly limits: Partial<Limits>;
  /** The index; by default an empty one. */
  readonly index?: PoolIndex;
}

/**
 * A priority pool in memory. The states are in a `MemoryPool`, the rest is in an index. It is either the whole pool, with
 * payloads, or the mirror of a pool that is stored elsewhere, without payloads.
 */
export class PriorityPool implements Planning {
  readonly index: PoolIndex;
  readonly memory: MemoryPool;

  constructor({ epoch, retention, limits, index }: PriorityPoolParts) {
    this.index = index ?? new PoolIndex({ ...defaultLimits, ...limits });
    this.memory = new MemoryPool(epoch, retention, (hash) => this.index.remove(hash));
  }

  get view(): MemoryPool {
    return this.memory;
  }

  /** Returns the step that a call would write. The index has its changes until `keepHeld` or `revertHeld`, which must be the next call. */
  hold<T>(run: (pool: Planning) => Step<T>): Step<T> {
    this.index.begin();
    let held = false;
    try {
      const step = run(this);
      held = true;
      return step;
    } finally {
      if (!held) this.revertHeld();
    }
  }

  /** @throws `ERR_MEMPOOL_CORRUPT` if the index contradicts itself, because it was read from damaged records */
  revertHeld(): void {
    try {
      this.index.undoCall();
    } catch (cause) {
      throw damaged('order of the pool', cause);
    }
  }

  /** Applies the change of the step that `hold` has planned. */
  keepHeld(change: PoolChange): void {
    this.index.keep();
    this.memory.follow(change, change.lastEventSeq, change.at);
  }

  /** Returns the entry of a transaction before the planned call that the index has. */
  get entryBefore(): (hash: string) => Entry | undefined {
    const { index } = this;
    let before: Map<string, Entry | undefined> | null = null;
    return (hash) => {
      before ??= new Map(index.touched().map(({ node, before: state }) => [node.hash, state?.entry]));
      return before.has(hash) ? before.get(hash) : index.node(hash)?.entry;
    };
  }

  /** Plans a call, stores the step with `keep`, and applies it. If `keep` throws, the pool does not change. */
  commit<T>(run: (pool: Planning) => Step<T>, keep: (step: Step<T>) => Step<T>): T {
    this.index.begin();
    let kept = false;
    try {
      const step = keep(run(this));
      assertWritable(step.writes);
      kept = true;
      this.index.keep();
      this.memory.apply(step);
      return step.outcome;
    } finally {
      if (!kept) this.revertHeld();
    }
  }

  /** The change that a planned step is for the mirrors of other nodes; `null` if nothing changes. */
  changeOf(step: Step<unknown>): PoolChange | null {
    return changesPool(step) ? changeOfStep(step, this.memory.lastEventSeq + step.events.length) : null;
  }

  /** Applies a committed step of this node or of another. Its events are not kept here. */
  apply(change: PoolChange): void {
    this.applyUnsettled(change);
    settle(this.index);
  }

  /** Applies a change to a pool that is still being restored: its order keys are computed by `restored`. */
  applyUnsettled(change: PoolChange): void {
    this.#follow(change, () => this.memory.follow(change, change.lastEventSeq, change.at));
  }

  /** Applies a whole step that `commit` stored, with events and recorded outcome, when a pool is opened again. */
  replay(step: Omit<Step<unknown>, 'outcome'>): void {
    const { writes, chain, pool, events, at } = step;
    const write = (): void => this.memory.apply({ outcome: null, ...step });
    if (pool) this.#follow({ writes, chain, pool, at, lastEventSeq: this.memory.lastEventSeq + events.length }, write);
    else write();
    settle(this.index);
  }

  /** Yields the whole state as records for `restore` on a new pool of this epoch. Read all before the next step. */
  *dump(): Generator<PoolRecord, undefined> {
    const { limits, lastGossipSeq, satisfied } = this.index;
    yield { kind: 'limits', limits };
    yield* this.memory.dump();
    yield { kind: 'gossip', lastGossipSeq };
    for (const [tag, tick] of satisfied.entries()) yield { kind: 'satisfied', tag, tick };
    for (const { entry } of this.index.nodes()) yield { kind: 'entry', entry };
  }

  #follow({ writes, chain, pool }: PoolChange, write: () => void): void {
    const { index, memory } = this;
    assertWritable(writes);
    const entries = new Map(pool.entries.map((entry) => [entry.hash, entry]));
    if (chain?.kind === 'applied') index.satisfied.moveFloor(chain.floor);
    write();
    for (const { after } of writes) {
      const entry = entries.get(after.hash) ?? index.node(after.hash)?.entry;
      if (entry !== undefined && memory.txState(after.hash) !== null) index.put(entry, after.stage);
      entries.delete(after.hash);
    }
    for (const entry of entries.values()) {
      const node = index.node(entry.hash);
      if (node !== undefined) index.move(node, node.stage, entry);
    }
    for (const tag of pool.forgotten) index.forget(tag);
    for (const [tag, tick] of pool.satisfied) {
      // `satisfy` keeps the earlier of two ticks. The call may have forgotten that one, so it goes first.
      index.forget(tag);
      index.satisfy(tag, tick);
    }
    if (pool.limits !== null) index.limits = pool.limits;
    index.lastGossipSeq = pool.lastGossipSeq;
  }

  /** Restores a record of a stored state, in the order of `PoolRecord`. */
  restore(record: PoolRecord): void {
    const { index } = this;
    switch (record.kind) {
      case 'limits':
        index.limits = { ...index.limits, ...record.limits };
        break;
      case 'gossip':
        index.lastGossipSeq = record.lastGossipSeq;
        break;
      case 'satisfied':
        index.satisfy(record.tag, record.tick);
        break;
      case 'entry':
        this.#restoreEntry(record.entry);
        break;
      case 'base':
        index.satisfied.floor = record.floor;
        this.memory.restore(record);
        break;
      case 'block':
      case 'write':
      case 'event':
      case 'operation':
      case 'record':
      case 'version':
        this.memory.restore(record);
        break;
    }
  }

  /** Computes the order keys. Call it after the last record of `restore`. */
  restored(): void {
    settle(this.index);
  }

  /** Does the same as `restored`, and yields now and then. */
  restoring(): Generator<undefined, void> {
    return settling(this.index);
  }

  usage(): DriverUsage {
    const { index } = this;
    const { limits, parked } = index;
    const { transactions, bytes, gas } = index.totals;
    const special = { protected: index.totals.protected };
    const headroom = { transactions: limits.maxTxs - transactions, bytes: limits.maxBytes - bytes };
    const { belowFloor } = index;
    const waiting = { ready: index.order.length - parked.length, parked: parked.length, belowFloor, ...special };
    const load = { transactions, bytes, gas, ...waiting, headroom, floor: floorOf(index) };
    const { lastGossipSeq } = index;
    return { ...this.memory.usage(), held: index.ages.held.length, lastGossipSeq, load };
  }

  #restoreEntry(entry: Entry): void {
    const txState = this.memory.txState(entry.hash);
    if (txState !== null) this.index.put(entry, txState.stage);
  }
}

/** True if the step changes more than the recorded outcomes. */
export function changesPool(step: Step<unknown>): step is Step<unknown> & { readonly pool: PoolStep } {
  const { writes, events, chain, pool } = step;
  if (!pool) return false;
  const { entries, satisfied, forgotten, limits } = pool;
  const changed = [writes, events, entries, satisfied, forgotten].some((list) => list.length > 0);
  return changed || chain !== null || limits !== null;
}

/** Returns the changes of a step that other nodes need. @throws `TypeError` for a step of a fifo pool */
export function changeOfStep({ writes, chain, pool, at }: Step<unknown>, lastEventSeq: number): PoolChange {
  if (pool === undefined || pool === null) throw new TypeError('a step of a fifo pool has no pool changes');
  return { writes: writes.map(bare), chain, pool, lastEventSeq, at };
}

/** The write without its payload. It has a body if the transaction is new. */
function bare({ after, point, body }: Write): Write {
  return { after, point, body: body && mirroredBody(after.hash) };
}

const noBytes: Uint8Array = new Uint8Array();

/** Returns the body of a transaction in a mirror, which has an empty payload. */
export function mirroredBody(hash: string): Transaction {
  return { hash, payload: noBytes, payloadType: 0 };
}
