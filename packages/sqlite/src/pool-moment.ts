import * as core from 'mempool-core';
import type { HashIndex } from './hash-index.ts';
import type { PoolFile, Row } from './pool-file.ts';
import {
  decodeEventRow,
  decodeLife,
  decodePool,
  decodeRecord,
  decodeStoredPoint,
  type PoolState,
  type StoredRecord,
} from './records.ts';

/** What the file says inside one transaction, so all of one moment: for the rules (`PoolView`) and for the reading verbs. */
export class PoolMoment implements core.PoolView {
  readonly state: PoolState;
  readonly #file: PoolFile;
  readonly #hashes: HashIndex;
  #hash = '';
  #bytes: Buffer = Buffer.alloc(0);

  constructor(file: PoolFile, hashes: HashIndex) {
    this.#file = file;
    this.#hashes = hashes;
    this.state = decodePool(file.row('pool'));
  }

  get currentTip(): core.Tip {
    const { tick } = this.state;
    return { point: this.pointAt(tick), tick };
  }

  get floor(): number {
    return this.state.floor;
  }

  get maxRollback(): number {
    return this.state.maxRollback;
  }

  get lastSeq(): number {
    return this.state.lastSeq;
  }

  get lastEventSeq(): number {
    return this.state.lastEventSeq;
  }

  life(hash: string): core.Life | null {
    const row = this.#lifeRow(hash);
    return row === null ? null : decodeLife(row);
  }

  confirmedAt(hash: string): core.ChainPoint | null {
    const point = this.#lifeRow(hash)?.['point'];
    return point == null ? null : decodeStoredPoint(point);
  }

  sighting(hash: string): number | null {
    return (this.#file.row('sighting', this.#key(hash))?.['tick'] as number) ?? null;
  }

  pointAt(tick: number): core.ChainPoint | null {
    const row = this.#file.row('point', tick);
    return row === undefined ? null : decodeStoredPoint(row['point']);
  }

  tickOf(point: core.ChainPoint): number | null {
    return (this.#file.row('tickOf', core.encodePoint(point))?.['tick'] as number) ?? null;
  }

  aged(finalizable: number, droppable: number): core.Life[] {
    return [
      ...this.#inflight('agedInflight', 'Confirmed', finalizable),
      ...this.#inflight('agedInflight', 'Propagated', droppable),
      ...this.#inflight('agedInflight', 'Acknowledged', droppable),
    ];
  }

  confirmedAfter(tick: number): core.Life[] {
    const finalized = Array.from(this.#file.rows('finalizedAfter', tick), decodeLife);
    return [...this.#inflight('inflightAfter', 'Confirmed', tick), ...finalized];
  }

  waitingAfter(tick: number): core.Life[] {
    return [
      ...this.#inflight('inflightAfter', 'Propagated', tick),
      ...this.#inflight('inflightAfter', 'Acknowledged', tick),
    ];
  }

  page(name: 'peekPending' | 'peekInflight', after: number, limit: number): core.StoredTransaction[] {
    return this.#records(name, after, limit).map((record) => this.#stored(record));
  }

  findInflight(hash: string): core.StoredTransaction | null {
    const seq = this.#hashes.seqOf(this.#key(hash));
    const row = seq === undefined ? undefined : this.#file.row('inflight', seq);
    return row === undefined ? null : this.#stored(decodeRecord({ ...row, hash: this.#key(hash) }));
  }

  status(hash: string): core.TransactionStatus {
    return core.statusOf(hash, this.life(hash), this.confirmedAt(hash), this.state.tick);
  }

  logPage(cursor: number, limit: number): core.LogPage {
    const { lastLogSeq, logged } = this.state;
    const oldest = lastLogSeq - logged + 1;
    const entries = this.#records('log', Math.max(cursor, oldest), limit).map((record) =>
      core.logEntry(record.logSeq ?? 0, lifeOf(record), record, record.point),
    );
    return core.logPage(entries, cursor, oldest, lastLogSeq);
  }

  tip(points: number): core.TipAnswer {
    const rows = points === 0 ? [] : [...this.#file.rows('points', points)];
    return { ...this.currentTip, points: rows.map(({ point }) => decodeStoredPoint(point)) };
  }

  usage(): core.Usage {
    const { pending, propagated, acknowledged, confirmed, logged, lastLogSeq, lastSeq, lastEventSeq } = this.state;
    return { pending, propagated, acknowledged, confirmed, logged, lastLogSeq, lastSeq, lastEventSeq };
  }

  eventsAfter(after: number, limit: number): core.EventPage {
    const { lastEventSeq: last, epoch } = this.state;
    const oldest = Number(this.#file.row('oldestEvent')?.['oldest']);
    const events: core.StoreEvent[] = [];
    for (const row of after < last ? this.#file.rows('events', after) : []) {
      events.push(...decodeEventRow(row).filter(({ eventSeq }) => eventSeq > after));
      if (events.length >= limit) break;
    }
    return { events: events.slice(0, limit), oldest, last, epoch };
  }

  /** The rules ask for several things of one hash, one after the other. */
  #key(hash: string): Buffer {
    if (hash !== this.#hash) {
      this.#hash = hash;
      this.#bytes = core.hashToBytes(hash);
    }
    return this.#bytes;
  }

  #lifeRow(hash: string): Row | null {
    const key = this.#key(hash);
    const seq = this.#hashes.seqOf(key);
    return seq === undefined ? null : { ...this.#file.row('life', seq), hash: key };
  }

  /** By an index, so that the cost is that of what it finds (L12). */
  #inflight(statement: 'agedInflight' | 'inflightAfter', stage: core.InflightStage, tick: number): core.Life[] {
    if (tick === Number.NEGATIVE_INFINITY) return [];
    return Array.from(this.#file.rows(statement, core.knownStages.indexOf(stage), tick), decodeLife);
  }

  #records(name: string, from: number, limit: number): StoredRecord[] {
    const records = Iterator.from(this.#file.rows(name, from, limit)).map(decodeRecord);
    return core.cutPage(records, ({ life }) => life !== null);
  }

  #stored(record: StoredRecord): core.StoredTransaction {
    return core.storedTransaction(lifeOf(record), record, record.point, this.state.tick);
  }
}

/** @throws `ERR_MEMPOOL_CORRUPT` */
function lifeOf(record: StoredRecord): core.Life {
  if (record.life === null) throw core.corrupt(record);
  return record.life;
}
