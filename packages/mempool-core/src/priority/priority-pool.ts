import { assertWritable } from '../codec/payload-bytes.ts';
import { defaultLimits, type Limits } from '../contract/limits.ts';
import type { Retention } from '../contract/options.ts';
import type { Entry, PoolStep } from '../contract/pool-entry.ts';
import type { Usage } from '../contract/store.ts';
import { Ledger } from '../memory/ledger.ts';
import type { LedgerRecord } from '../memory/ledger-state.ts';
import type { ChainStep, Step, Write } from '../rules/step.ts';
import { floorOf } from './eviction.ts';
import { settle } from './placement.ts';
import { PoolIndex } from './pool-index.ts';
import type { Planning } from './step-builder.ts';

/** What a committed step changed, as another node follows it. Payloads are not in it. */
export interface PoolChange {
  readonly writes: readonly Write[];
  readonly chain: ChainStep | null;
  readonly pool: PoolStep;
  readonly lastEventSeq: number;
}

/** A piece of a priority pool's state, for a storage of any format: in this order, entries after all writes. */
export type PoolRecord =
  | LedgerRecord
  | { readonly kind: 'limits'; readonly limits: Partial<Limits> }
  | { readonly kind: 'gossip'; readonly lastGossipSeq: number }
  | { readonly kind: 'satisfied'; readonly tag: string; readonly tick: number }
  /** Of a transaction that came as a write: live, or with a body in the log. */
  | { readonly kind: 'entry'; readonly entry: Entry };

export interface PriorityPoolParts {
  readonly epoch: string;
  readonly retention: Retention;
  readonly limits: Partial<Limits>;
  /** Default: an empty one. */
  readonly index?: PoolIndex;
}

const noBytes: Uint8Array = new Uint8Array();

/**
 * A priority pool in memory: lives in a ledger, all the rest in an index. Either all there is of the pool, payloads in the
 * ledger; or the mirror of one that is kept elsewhere, with rows that have no payload.
 */
export class PriorityPool implements Planning {
  readonly index: PoolIndex;
  readonly ledger: Ledger;

  constructor({ epoch, retention, limits, index }: PriorityPoolParts) {
    this.index = index ?? new PoolIndex({ ...defaultLimits, ...limits });
    this.ledger = new Ledger(epoch, retention, (hash) => this.index.remove(hash));
  }

  get view(): Ledger {
    return this.ledger;
  }

  /** What a call would write. The pool stays as it is. */
  plan<T>(run: (pool: Planning) => Step<T>): Step<T> {
    this.index.begin();
    try {
      return run(this);
    } finally {
      this.index.undoCall();
    }
  }

  /** Plans a call and writes it, where this is all there is of the pool. `keep` may refuse by throwing. */
  commit<T>(run: (pool: Planning) => Step<T>, keep: (step: Step<T>) => Step<T>): T {
    this.index.begin();
    let kept = false;
    try {
      const step = keep(run(this));
      assertWritable(step.writes);
      kept = true;
      this.index.keep();
      this.ledger.apply(step);
      return step.outcome;
    } finally {
      if (!kept) this.index.undoCall();
    }
  }

  /** Follows a committed step, of this node or of another. Its events are not kept here. */
  apply(change: PoolChange): void {
    this.#follow(change, () => this.ledger.follow(change, change.lastEventSeq));
  }

  /** Takes a whole step that `commit` kept, events and recorded outcome included: a pool that is opened again. */
  replay(step: Omit<Step<unknown>, 'outcome'>): void {
    const { writes, chain, pool, events } = step;
    const write = (): void => this.ledger.apply({ outcome: null, ...step });
    if (pool) this.#follow({ writes, chain, pool, lastEventSeq: this.ledger.lastEventSeq + events.length }, write);
    else write();
  }

  /**
   * The whole state in pieces, for `restore` on a new pool of the same epoch. Read it to the end before the next step.
   */
  *dump(): Generator<PoolRecord, undefined> {
    const { limits, lastGossipSeq, satisfied } = this.index;
    yield { kind: 'limits', limits };
    yield* this.ledger.dump();
    yield { kind: 'gossip', lastGossipSeq };
    for (const [tag, tick] of satisfied.entries()) yield { kind: 'satisfied', tag, tick };
    for (const { entry } of this.index.nodes()) yield { kind: 'entry', entry };
  }

  #follow({ writes, chain, pool }: PoolChange, write: () => void): void {
    const { index, ledger } = this;
    assertWritable(writes);
    const entries = new Map(pool.entries.map((entry) => [entry.hash, entry]));
    if (chain?.kind === 'applied') index.satisfied.moveFloor(chain.floor);
    write();
    for (const { after } of writes) {
      const entry = entries.get(after.hash) ?? index.node(after.hash)?.entry;
      if (entry !== undefined && ledger.txState(after.hash) !== null) index.put(entry, after.stage);
      entries.delete(after.hash);
    }
    for (const entry of entries.values()) {
      const node = index.node(entry.hash);
      if (node !== undefined) index.move(node, node.stage, entry);
    }
    for (const tag of pool.forgotten) index.forget(tag);
    for (const [tag, tick] of pool.satisfied) {
      // The call may have forgotten an earlier block before this one: that one no longer comes first.
      index.forget(tag);
      index.satisfy(tag, tick);
    }
    if (pool.limits !== null) index.limits = pool.limits;
    index.lastGossipSeq = pool.lastGossipSeq;
    settle(index);
  }

  /** Takes a piece of a stored state, in the order of `PoolRecord`. */
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
        this.ledger.restore(record);
        break;
      case 'block':
      case 'write':
      case 'event':
      case 'operation':
        this.ledger.restore(record);
        break;
    }
  }

  /** After the last piece. */
  restored(): void {
    settle(this.index);
  }

  usage(): Usage {
    const { index } = this;
    const { limits, parked } = index;
    const { transactions, bytes, gas } = index.totals;
    const headroom = { transactions: limits.maxTxs - transactions, bytes: limits.maxBytes - bytes };
    const load = { transactions, bytes, gas, parked: parked.length, headroom, floor: floorOf(index) };
    return { ...this.ledger.usage(), load };
  }

  #restoreEntry(entry: Entry): void {
    const txState = this.ledger.txState(entry.hash);
    if (txState !== null) this.index.put(entry, txState.stage);
  }
}

/** Whether it is more than an answer. */
export function changesPool(step: Step<unknown>): step is Step<unknown> & { readonly pool: PoolStep } {
  const { writes, events, chain, pool } = step;
  if (!pool) return false;
  const { entries, satisfied, forgotten, limits } = pool;
  const changed = [writes, events, entries, satisfied, forgotten].some((list) => list.length > 0);
  return changed || chain !== null || limits !== null;
}

/** What other nodes need to know of a step. */
export function changeOfStep({ writes, chain, pool }: Step<unknown>, lastEventSeq: number): PoolChange {
  if (pool === undefined || pool === null) throw new TypeError('a step of a pool in order of arrival');
  return { writes: writes.map(bare), chain, pool, lastEventSeq };
}

/** With a body where it begins a life, but without the payload. */
function bare({ after, point, body }: Write): Write {
  return { after, point, body: body === null ? null : { hash: after.hash, payload: noBytes, payloadType: 0 } };
}
