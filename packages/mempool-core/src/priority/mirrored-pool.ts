import { decodeEntry } from '../codec/entry-record.ts';
import type { Limits } from '../contract/limits.ts';
import type { Retention } from '../contract/options.ts';
import type { Entry } from '../contract/pool-entry.ts';
import type { Transaction } from '../contract/transaction.ts';
import { lostEntry } from '../rules/damage.ts';
import type { Step, Write } from '../rules/step.ts';
import { decodeChange } from './change-record.ts';
import { changeOfStep, changesPool, type PoolChange, type PoolRecord, PriorityPool } from './priority-pool.ts';
import type { Planning } from './step-builder.ts';

/** Names one state of a stored pool. */
export interface PoolPosition {
  /** Of the pool: made when the pool was made. */
  readonly epoch: string;
  /** The number of calls that have changed the pool. */
  readonly version: number;
  /** Distinguishes states of one version, in a storage that may go back in time and on by another way; else ''. */
  readonly stamp: string;
}

export interface MirroredPoolParts {
  readonly position: PoolPosition;
  readonly retention: Omit<Retention, 'maxEvents'>;
  readonly limits: Partial<Limits>;
  /** The stored state, in the order of `PoolRecord`: without payloads, events and recorded outcomes. */
  readonly records: Iterable<PoolRecord>;
}

/**
 * A priority pool without its payloads, as one node knows it: a state that the stored pool has had. The backend only reads and
 * writes; what changes the pool, catching up and damaged records are handled here.
 */
export class MirroredPool {
  readonly pool: PriorityPool;
  #position: PoolPosition;
  #isBroken = false;

  constructor({ position, retention, limits, records }: MirroredPoolParts) {
    const { epoch } = position;
    this.pool = new PriorityPool({ epoch, retention: { ...retention, maxEvents: 1 }, limits });
    for (const record of records) this.pool.restore(record);
    this.pool.restored();
    this.#position = position;
  }

  get position(): PoolPosition {
    return this.#position;
  }

  /** True after an error that may have left half a change in the mirror: load a new one. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /**
   * Plans a call on the mirror, which stays as it is. `change`: what other mirrors must know; `null` when the step
   * changes nothing.
   */
  plan<T>(plan: (pool: Planning) => Step<T>): { readonly step: Step<T>; readonly change: PoolChange | null } {
    const step = this.pool.plan(plan);
    const change = changesPool(step) ? changeOfStep(step, this.pool.ledger.lastEventSeq + step.events.length) : null;
    return { step, change };
  }

  /**
   * Plans a call, has `keep` store it, and applies it. For a storage that nobody else writes meanwhile. `keep` gets the version
   * that the step makes the pool, and returns whether it stored anything. If it throws, the mirror stays as it is.
   */
  commit<T>(plan: (pool: Planning) => Step<T>, keep: (step: Step<T>, version: number) => boolean): T {
    const { epoch, version, stamp } = this.#position;
    let isKept = false;
    try {
      return this.pool.commit(plan, (step) => {
        const next = changesPool(step) ? version + 1 : version;
        isKept = keep(step, next);
        if (!isKept) return step;
        this.#position = { epoch, version: next, stamp };
        return { ...step, writes: step.writes.map(withoutPayload), operation: null };
      });
    } catch (error) {
      this.#isBroken = isKept;
      throw error;
    }
  }

  /** Applies a change that this node planned at `from`, and stored under `stamp`. */
  applyOwn(from: PoolPosition, change: PoolChange, stamp: string): void {
    if (this.#countKnown(from, 1) === 0) this.#apply([change], from.version + 1, stamp);
  }

  /**
   * Applies stored changes that lead from `from` to the version `from.version + records.length` with that stamp. Skips those that
   * the mirror has already, because answers may cross; ignores changes that do not continue from its own position.
   *
   * @throws `ERR_MEMPOOL_CORRUPT` with nothing applied; another error for a change that does not fit: then the mirror is broken
   */
  follow(from: PoolPosition, records: readonly Uint8Array[], stamp: string): void {
    const known = this.#countKnown(from, records.length);
    if (known === null) return;
    this.#apply(records.slice(known).map(decodeChange), from.version + records.length, stamp);
  }

  #apply(changes: readonly PoolChange[], version: number, stamp: string): void {
    this.#isBroken = true;
    for (const change of changes) this.pool.apply(change);
    this.#position = { epoch: this.#position.epoch, version, stamp };
    this.#isBroken = false;
  }

  /** How many of the changes the mirror has; `null` when it needs none of them. */
  #countKnown(from: PoolPosition, count: number): number | null {
    const { epoch, version, stamp } = this.#position;
    const known = version - from.version;
    if (epoch !== from.epoch || known < 0 || known >= count) return null;
    return known === 0 && stamp !== from.stamp ? null : known;
  }
}

const noBytes: Uint8Array = new Uint8Array();

/** The body of a transaction in a mirror. */
export function mirroredBody(hash: string): Transaction {
  return { hash, payload: noBytes, payloadType: 0 };
}

/**
 * M2: the stored entry; if its record is missing or damaged, an entry that stands in for it, and a call of `report`.
 */
export function storedEntry(
  { hash, seq, bytes }: Pick<Entry, 'hash' | 'seq' | 'bytes'>,
  record: unknown,
  report: () => unknown,
): Entry {
  try {
    if (record instanceof Uint8Array) return decodeEntry(hash, seq, record);
  } catch {
    // Reported below, like one that is missing.
  }
  report();
  return lostEntry(hash, seq, bytes);
}

function withoutPayload(write: Write): Write {
  return write.body === null ? write : { ...write, body: { ...write.body, payload: noBytes } };
}
