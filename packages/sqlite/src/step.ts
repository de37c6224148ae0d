import {
  type ChainPoint,
  type Change,
  changeEvent,
  encodeEvents,
  encodePoint,
  hashToBytes,
  isFinal,
  isLive,
  keptFrom,
  knownStages,
  type Life,
  type LiveStage,
  type StoreEvent,
  type Transaction,
} from 'mempool-core';
import type { HashIndex } from './hash-index.ts';
import { damaged, decodeLife, decodeOptionalPoint, type PoolRow, recordChecksum } from './records.ts';
import type { Statements } from './statements.ts';

const counterOf = {
  Pending: 'pending',
  Propagated: 'propagated',
  Acknowledged: 'acknowledged',
  Confirmed: 'confirmed',
} as const satisfies Record<LiveStage, keyof PoolRow>;

/** One verb's writes inside one SQLite transaction: rows at once, counters, events and trimming at the end. */
export class Step {
  readonly pool: PoolRow;
  readonly #statements: Statements;
  readonly #hashes: HashIndex;
  readonly #events: StoreEvent[] = [];
  /** Ticks of blocks that lost a Confirmed transaction: an old one goes with its last. */
  readonly #leftTicks = new Set<number>();

  constructor(statements: Statements, hashes: HashIndex, pool: PoolRow) {
    this.pool = pool;
    this.#statements = statements;
    this.#hashes = hashes;
  }

  life(hash: string): Life | null {
    const row = this.#hashes.life(hash);
    return row === undefined ? null : decodeLife(row);
  }

  pointAt(tick: number): ChainPoint {
    return pointAt(this.#statements, tick);
  }

  /** False, with nothing written, where the hash has a row. */
  insert(change: Change, { hash, payload, payloadType }: Transaction): boolean {
    const { seq, stage, tick } = change.after;
    const key = hashToBytes(hash);
    const checksum = recordChecksum(key, payload);
    if (!this.#hashes.insert([seq, key, knownStages.indexOf(stage), tick, payloadType, checksum])) return false;
    this.#statements.insertBody.run(seq, payload);
    this.pool.lastSeq = seq;
    this.#count(change);
    return true;
  }

  /** Makes room for a new life of a Dropped transaction (L2). */
  remove({ hash, seq }: Life): void {
    this.#statements.remove.run(seq);
    this.#statements.removeBody.run(seq);
    this.#hashes.forget(hashToBytes(hash));
  }

  apply(change: Change): void {
    const { after } = change;
    const logSeq = isFinal(change) ? this.#log(change.after) : null;
    this.#statements.update.run(knownStages.indexOf(after.stage), after.tick, logSeq, after.seq);
    this.#count(change);
  }

  blockEvent(action: 'applied' | 'undone', point: ChainPoint, tick: number): void {
    this.#events.push({ kind: 'block', eventSeq: this.#nextEvent(), action, point, tick });
  }

  /** Points and sightings that no rollback reaches any more (L9). */
  raiseFloor(): void {
    const { pool } = this;
    const floor = keptFrom(pool.tick, pool.maxRollback, pool.floor);
    if (floor === pool.floor) return;
    this.#statements.trimBlocks.run(pool.floor, floor);
    this.#statements.trimSightings.run(floor);
    pool.floor = floor;
  }

  /** True when anything was written. */
  finish(): boolean {
    if (this.#events.length === 0) return false;
    const { pool } = this;
    for (const tick of this.#leftTicks) if (tick < pool.floor) this.#statements.trimBlocks.run(tick, tick + 1);
    if (pool.logged > pool.maxFinalized) this.#trimLog();
    this.#statements.insertEvents.run(pool.lastEventSeq, this.#events.length, encodeEvents(this.#events));
    this.#statements.trimEvents.run(pool.lastEventSeq - pool.maxEvents);
    this.#statements.savePool.run(pool);
    return true;
  }

  #count(change: Change): void {
    const { before, after } = change;
    if (before !== null && isLive(before.stage)) this.pool[counterOf[before.stage]] -= 1;
    if (isLive(after.stage)) this.pool[counterOf[after.stage]] += 1;
    if (before?.stage === 'Confirmed') this.#leftTicks.add(before.tick);
    this.#events.push(changeEvent(this.#nextEvent(), change, this.#confirmingPoint(after)));
  }

  #log(after: Life): number {
    const { pool } = this;
    pool.lastLogSeq += 1;
    pool.logged += 1;
    const point = this.#confirmingPoint(after);
    this.#statements.insertLog.run(
      pool.lastLogSeq,
      after.seq,
      hashToBytes(after.hash),
      knownStages.indexOf(after.stage),
      after.confirmations,
      after.nonConfirmations,
      point === null ? null : encodePoint(point),
      after.reason,
    );
    return pool.lastLogSeq;
  }

  #confirmingPoint({ stage, tick }: Life): ChainPoint | null {
    return stage === 'Confirmed' || stage === 'Finalized' ? this.pointAt(tick) : null;
  }

  /** O4: the oldest entries go; with a hash's latest one goes what is left of a transaction that is not live. */
  #trimLog(): void {
    const { pool } = this;
    const surplus = pool.logged - pool.maxFinalized;
    for (const row of this.#statements.oldestLog.all(surplus)) {
      const { logSeq, seq, hash } = row as { logSeq: number; seq: number; hash: Buffer };
      if (this.#statements.removeLogged.run(seq, logSeq).changes === 0) continue;
      this.#statements.removeBody.run(seq);
      this.#hashes.forget(hash);
    }
    this.#statements.trimLog.run(pool.lastLogSeq - pool.maxFinalized);
    pool.logged = pool.maxFinalized;
  }

  #nextEvent(): number {
    this.pool.lastEventSeq += 1;
    return this.pool.lastEventSeq;
  }
}

/** @throws `ERR_MEMPOOL_CORRUPT` where the block's row is missing */
export function pointAt(statements: Statements, tick: number): ChainPoint {
  const row = statements.point.get(tick) as { point: unknown } | undefined;
  const point = decodeOptionalPoint(row?.point ?? null);
  if (point === null) throw damaged(`point of tick ${tick}`);
  return point;
}
