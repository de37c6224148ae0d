import type { Statement } from 'better-sqlite3';
import {
  type ChainPoint,
  corrupt,
  countersAt,
  cutPage,
  decodeEvents,
  type EventPage,
  isInflight,
  isLive,
  type LogEntry,
  type LogPage,
  live,
  type StoredTransaction,
  type StoreEvent,
  type Tip,
  type TipAnswer,
  type TransactionStatus,
  type Usage,
} from 'mempool-core';
import type { HashIndex } from './hash-index.ts';
import {
  damaged,
  decodeLife,
  decodeLog,
  decodeOptionalPoint,
  decodePool,
  decodeRecord,
  type PoolRow,
  type StoredRecord,
} from './records.ts';
import type { Statements } from './statements.ts';
import { pointAt } from './step.ts';

type LogRead = LogEntry & { readonly intact: boolean };

/** The reading verbs. Each runs inside one read transaction, so that what it combines is of one moment. */
export class PoolReader {
  readonly #statements: Statements;
  readonly #hashes: HashIndex;

  constructor(statements: Statements, hashes: HashIndex) {
    this.#statements = statements;
    this.#hashes = hashes;
  }

  page(statement: Statement<unknown[], unknown>, after: number, limit: number): StoredTransaction[] {
    const { tick } = this.#pool();
    const records = Iterator.from(statement.iterate(after, limit)).map(decodeRecord);
    return cutPage(records, ({ intact }) => intact).map((record) => this.#stored(record, tick));
  }

  findInflight(hashes: readonly string[]): (StoredTransaction | null)[] {
    const { tick } = this.#pool();
    return hashes.map((hash) => {
      const row = this.#hashes.record(hash);
      if (row === undefined) return null;
      const record = decodeRecord(row);
      if (record.stage !== null && !isInflight(record.stage)) return null;
      if (!record.intact) throw corrupt({ hash, seq: record.seq });
      return this.#stored(record, tick);
    });
  }

  checkStatus(hashes: readonly string[]): TransactionStatus[] {
    const { tick } = this.#pool();
    return hashes.map((hash) => this.#status(hash, tick));
  }

  dumpFinalized(cursor: number, limit: number): LogPage {
    const { lastLogSeq, logged } = this.#pool();
    const oldest = lastLogSeq - logged + 1;
    const rows = this.#statements.log.iterate(Math.max(cursor, oldest), limit);
    const read = cutPage(
      Iterator.from(rows).map((row) => this.#logEntry(row)),
      ({ intact }) => intact,
    );
    const entries = read.map(({ intact: _, ...entry }) => entry);
    const last = entries.at(-1)?.logSeq ?? lastLogSeq;
    const missed = cursor >= 1 && cursor < oldest ? oldest - cursor : 0;
    return { entries, cursor: last + 1, hasMore: last < lastLogSeq, missed };
  }

  tip(points: number): TipAnswer {
    const pool = this.#pool();
    const rows = points === 0 ? [] : this.#statements.points.all(pool.floor, points);
    return { ...this.tipOf(pool), points: rows.map((row) => requiredPoint(row)) };
  }

  tipOf({ tick, floor }: PoolRow): Tip {
    return { point: tick < floor ? null : pointAt(this.#statements, tick), tick };
  }

  usage(): Usage {
    const { pending, propagated, acknowledged, confirmed, logged, lastLogSeq, lastSeq, lastEventSeq } = this.#pool();
    return { pending, propagated, acknowledged, confirmed, logged, lastLogSeq, lastSeq, lastEventSeq };
  }

  readEvents(after: number, limit: number): EventPage {
    const { lastEventSeq: last, epoch } = this.#pool();
    const first = this.#statements.oldestEvent.get() as { oldest: number } | undefined;
    const events: StoreEvent[] = [];
    for (const row of after < last ? this.#statements.events.iterate(after) : []) {
      for (const event of unpack(row)) if (event.eventSeq > after) events.push(event);
      if (events.length >= limit) break;
    }
    return { events: events.slice(0, limit), oldest: first?.oldest ?? last + 1, last, epoch };
  }

  #pool(): PoolRow {
    return decodePool(this.#statements.pool.get());
  }

  #stored(record: StoredRecord, now: number): StoredTransaction {
    const { hash, seq, payload, payloadType, stage, tick } = record;
    if (stage === null || !isLive(stage)) throw corrupt(record);
    const confirmedAt = stage === 'Confirmed' ? pointAt(this.#statements, tick) : null;
    return { hash, seq, payload, payloadType, stage, confirmedAt, ...countersAt(live(hash, seq, stage, tick), now) };
  }

  #status(hash: string, tick: number): TransactionStatus {
    const row = this.#hashes.life(hash);
    if (row === undefined)
      return { hash, stage: 'Unknown', confirmations: 0, nonConfirmations: 0, confirmedAt: null, reason: null };
    const life = decodeLife(row);
    const { stage, reason } = life;
    return { hash, stage, ...countersAt(life, tick), confirmedAt: this.#confirmedAt(life, row), reason };
  }

  #confirmedAt(life: ReturnType<typeof decodeLife>, row: unknown): ChainPoint | null {
    if (life.stage === 'Confirmed') return pointAt(this.#statements, life.tick);
    return life.stage === 'Finalized' ? requiredPoint(row) : null;
  }

  #logEntry(row: unknown): LogRead {
    const entry = decodeLog(row);
    const { hash } = entry;
    const stored = this.#hashes.record(hash);
    const { payload, payloadType, intact } =
      stored === undefined ? { payload: new Uint8Array(), payloadType: 0, intact: false } : decodeRecord(stored);
    return { ...entry, payload, payloadType, intact };
  }
}

function unpack(row: unknown): StoreEvent[] {
  const { lastSeq, count, packed } = row as { lastSeq: number; count: unknown; packed: unknown };
  if (!(packed instanceof Uint8Array)) throw damaged('events');
  const events = decodeEvents(packed, lastSeq);
  if (events.length !== count) throw damaged('events');
  return events;
}

function requiredPoint(row: unknown): ChainPoint {
  const point = decodeOptionalPoint((row as { point: unknown }).point);
  if (point === null) throw damaged('chain point');
  return point;
}
