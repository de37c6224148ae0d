import { decodeEntry } from '../codec/entry-record.ts';
import type { DamageReport } from '../contract/damage.ts';
import { isMempoolError } from '../contract/errors.ts';
import { live } from '../contract/lifecycle.ts';
import type { Limits } from '../contract/limits.ts';
import type { Retention } from '../contract/options.ts';
import type { ReadRecord } from '../contract/page-rules.ts';
import type { Entry } from '../contract/pool-entry.ts';
import { lostEntry } from '../rules/damage.ts';
import type { Step, Write } from '../rules/step.ts';
import { decodeChange } from './change-record.ts';
import { runOut } from './placement.ts';
import { changesPool, mirroredBody, type PoolChange, type PoolRecord, PriorityPool } from './priority-pool.ts';
import type { Planning } from './step-builder.ts';

/** Identifies one state of a stored pool. */
export interface PoolPosition {
  /** Identifies the pool. It is made with the pool. */
  readonly epoch: string;
  /** The number of calls that have changed the pool. */
  readonly version: number;
  /** Distinguishes states with the same version, if the storage can be restored to an earlier state; else ''. */
  readonly stamp: string;
}

/** True for the same state of the same pool. */
export function samePosition(a: PoolPosition, b: PoolPosition): boolean {
  return a.epoch === b.epoch && a.version === b.version && a.stamp === b.stamp;
}

export interface MirroredPoolParts {
  readonly position: PoolPosition;
  readonly retention: Omit<Retention, 'maxEvents'>;
  readonly limits: Partial<Limits>;
  /** The stored state, in the order in which `PoolRecord` lists the kinds, without payloads, events and recorded outcomes. */
  readonly records: Iterable<PoolRecord>;
}

/**
 * A stored state whose records were read one after the other while others changed the pool. Each record is as it was at
 * `position` or later, and `changes` are all changes from there to a state after the last read.
 */
export interface MirrorFillParts extends MirroredPoolParts {
  /** The entries, as far as they are known, of transactions that were live at `position` and ended before they were read. */
  readonly late: ReadonlyMap<string, Entry>;
  readonly changes: readonly PoolChange[];
  /** The position to which the changes lead. */
  readonly end: PoolPosition;
}

/** A planned call. */
export interface PlannedHere<T> {
  readonly step: Step<T>;
  readonly change: PoolChange | null;
  readonly entryBefore: (hash: string) => Entry | undefined;
}

/**
 * One node's copy of a priority pool, without payloads. It has the current or an earlier state of the stored pool. The
 * backend only reads and writes. This class detects changes, applies changes of other nodes and handles damaged records.
 */
export class MirroredPool {
  readonly #pool: PriorityPool;
  #position: PoolPosition;
  #isBroken = false;
  /** The planned change that the index has already, until the pool is looked at. */
  #held: PoolChange | null = null;

  private constructor(pool: PriorityPool, position: PoolPosition) {
    this.#pool = pool;
    this.#position = position;
  }

  /** Makes a mirror of the records, without a pause. */
  static of(parts: MirroredPoolParts): MirroredPool {
    return runOut(
      MirroredPool.filling({ ...parts, late: noEntries, changes: [], end: parts.position }),
    ) as MirroredPool;
  }

  /**
   * Makes a mirror, and yields often, so that the work can be done in slices. The records may have been read one by one while
   * others changed the pool. Returns `null` if the changes tell too little about a transaction that the records lack: then
   * read the pool again.
   */
  static *filling(parts: MirrorFillParts): Generator<undefined, MirroredPool | null> {
    const { position, retention, limits, records, changes, end } = parts;
    const { epoch } = position;
    const pool = new PriorityPool({ epoch, retention: { ...retention, maxEvents: 1 }, limits });
    for (const record of records) {
      pool.restore(record);
      yield;
    }
    const standIns = new StandIns(pool, parts.late);
    for (const change of changes) {
      standIns.provide(change.writes);
      pool.applyUnsettled(change);
      yield;
    }
    if (standIns.areLeft) return null;
    yield* pool.restoring();
    return new MirroredPool(pool, end);
  }

  /** The pool at its position. What was planned on it and is not stored yet is taken back. */
  get pool(): PriorityPool {
    if (this.#held !== null) this.#revert();
    return this.#pool;
  }

  get position(): PoolPosition {
    return this.#position;
  }

  /** True after an error that may have left a partial change in the mirror. Then load a new mirror. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /**
   * Plans a call without changing the mirror. `change` is for the mirrors of other nodes; `null` if nothing changes. The plan stays in the
   * index until `pool` is read, so that `applyOwn` need not repeat it. Until then `entryBefore` tells entries before the call.
   */
  plan<T>(plan: (pool: Planning) => Step<T>): PlannedHere<T> {
    const { pool } = this;
    const step = pool.hold(plan);
    const change = pool.changeOf(step);
    if (change === null) pool.revertHeld();
    this.#held = change;
    return { step, change, entryBefore: pool.entryBefore };
  }

  /**
   * Plans a call, stores it with `keep` and applies it. Returns the outcome. Use it only if no other process can write to
   * the storage meanwhile. `keep` receives the new version of the pool, and returns the step as it stored it, or `null`. If
   * `keep` throws, the mirror does not change.
   */
  commit<T>(plan: (pool: Planning) => Step<T>, keep: (step: Step<T>, version: number) => Step<T> | null): T {
    const { epoch, version, stamp } = this.#position;
    let isKept = false;
    try {
      return this.pool.commit(plan, (step) => {
        const next = changesPool(step) ? version + 1 : version;
        const stored = keep(step, next);
        isKept = stored !== null;
        if (stored === null) return step;
        this.#position = { epoch, version: next, stamp };
        return { ...stored, writes: stored.writes.map(withoutPayload), operation: null, record: null };
      });
    } catch (error) {
      // A mirror of damaged records may contradict itself: it is read anew.
      this.#isBroken = isKept || isMempoolError(error, 'ERR_MEMPOOL_CORRUPT');
      throw error;
    }
  }

  /** Applies a change that this node planned at `from` and stored under `stamp`. */
  applyOwn(from: PoolPosition, change: PoolChange, stamp: string): void {
    if (this.#countKnown(from, 1) !== 0) return;
    if (this.#held?.writes === change.writes) this.#applyHeld(change, stamp);
    else this.#apply([change], from.version + 1, stamp);
  }

  /**
   * Applies stored changes that lead from `from` to the version `from.version + records.length` with this stamp. Skips
   * changes that the mirror has already, because answers may arrive in any order. Ignores changes that do not continue
   * from its own position. `times` are the times of the calls (E5), if the records do not have them.
   *
   * @throws `ERR_MEMPOOL_CORRUPT` if a record is damaged, and then nothing is applied; another error if a change does not
   * fit, and then the mirror is broken
   */
  follow(from: PoolPosition, records: readonly Uint8Array[], stamp: string, times: readonly number[] = []): void {
    const known = this.#countKnown(from, records.length);
    if (known === null) return;
    const changes = records.slice(known).map(decodeChange);
    const timed = changes.map((change, i) => ({ ...change, at: times[known + i] ?? change.at }));
    this.#apply(timed, from.version + records.length, stamp);
  }

  #applyHeld(change: PoolChange, stamp: string): void {
    const { epoch, version } = this.#position;
    this.#held = null;
    this.#isBroken = true;
    this.#pool.keepHeld(change);
    this.#position = { epoch, version: version + 1, stamp };
    this.#isBroken = false;
  }

  #revert(): void {
    this.#held = null;
    const isBroken = this.#isBroken;
    this.#isBroken = true;
    this.#pool.revertHeld();
    this.#isBroken = isBroken;
  }

  #apply(changes: readonly PoolChange[], version: number, stamp: string): void {
    const { pool } = this;
    this.#isBroken = true;
    for (const change of changes) pool.apply(change);
    this.#position = { epoch: this.#position.epoch, version, stamp };
    this.#isBroken = false;
  }

  /** How many of the changes the mirror has already; `null` if it needs none of them. */
  #countKnown(from: PoolPosition, count: number): number | null {
    const { epoch, version, stamp } = this.#position;
    const known = version - from.version;
    if (epoch !== from.epoch || known < 0 || known >= count) return null;
    return known === 0 && stamp !== from.stamp ? null : known;
  }
}

const noEntries: ReadonlyMap<string, Entry> = new Map();

/** Transactions that a change moves, but that were elsewhere at the moment in which each place was read. */
class StandIns {
  readonly #pool: PriorityPool;
  readonly #late: ReadonlyMap<string, Entry>;
  readonly #lost: Entry[] = [];

  constructor(pool: PriorityPool, late: ReadonlyMap<string, Entry>) {
    this.#pool = pool;
    this.#late = late;
  }

  /** Makes the transactions that these writes need. Their stage and time of sending are those of the next write. */
  provide(writes: readonly Write[]): void {
    const { memory } = this.#pool;
    for (const { after, body } of writes) {
      const { hash, seq, facts } = after;
      if (body !== null || memory.txState(hash) !== null) continue;
      const before = live(hash, seq, 'Propagated', 0, facts);
      memory.restore({ kind: 'write', write: { after: before, point: null, body: mirroredBody(hash) } });
      this.#pool.restore({ kind: 'entry', entry: this.#entryOf(hash, seq) });
    }
  }

  #entryOf(hash: string, seq: number): Entry {
    const known = this.#late.get(hash);
    if (known?.seq === seq) return known;
    const lost = lostEntry(hash, seq, 0);
    this.#lost.push(lost);
    return lost;
  }

  /** True if the changes have neither replaced the entry of one whose entry is not known, nor removed it. */
  get areLeft(): boolean {
    const { index } = this.#pool;
    return this.#lost.some((entry) => index.node(entry.hash)?.entry === entry);
  }
}

/** Decodes a stored entry. Returns `undefined` if the record is missing or damaged (M2). */
export function storedEntry({ hash, seq }: Pick<Entry, 'hash' | 'seq'>, record: unknown): Entry | undefined {
  try {
    return record instanceof Uint8Array ? decodeEntry(hash, seq, record) : undefined;
  } catch {
    return undefined;
  }
}

/** Decodes a stored entry for a mirror. If the record is missing or damaged, reports that and returns a substitute (M2). */
export function mirroredEntry(
  place: Omit<ReadRecord, 'payload'> & Pick<Entry, 'bytes'>,
  record: unknown,
  damage: DamageReport,
): Entry {
  const entry = storedEntry(place, record);
  if (entry !== undefined) return entry;
  damage(place);
  return lostEntry(place.hash, place.seq, place.bytes);
}

function withoutPayload(write: Write): Write {
  return write.body === null ? write : { ...write, body: mirroredBody(write.after.hash) };
}
