import * as core from 'mempool-core';
import { PoolView } from './pool-view.ts';
import { decodeEventRow, decodeOptionalPoint, decodeRecord, type StoredRecord } from './records.ts';

/** The reading verbs, on a view of one moment. */
export class PoolReader extends PoolView {
  page(name: 'peekPending' | 'peekInflight', after: number, limit: number): core.StoredTransaction[] {
    return this.#records(name, after, limit).map((record) => this.#stored(record));
  }

  findInflight(hash: string): core.StoredTransaction | null {
    const bytes = this.bytesOf(hash);
    const seq = this.hashes.seqOf(bytes);
    const row = seq === undefined ? undefined : this.file.row('inflight', seq);
    return row === undefined ? null : this.#stored(decodeRecord({ ...row, hash: bytes }));
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
    const kept = Array.from(this.file.rows('points', points), ({ point }) => decodeOptionalPoint(point));
    return { ...this.currentTip, points: kept.filter((point) => point !== null) };
  }

  usage(): core.Usage {
    const { epoch: _, tick: _t, floor: _f, maxFinalized: _m, maxEvents: _e, maxRollback: _r, ...usage } = this.state;
    return usage;
  }

  eventsAfter(after: number, limit: number): core.EventPage {
    const { lastEventSeq: last, epoch } = this.state;
    const events: core.StoreEvent[] = [];
    for (const row of this.file.rows('events', Math.min(after, last))) {
      events.push(...decodeEventRow(row).filter(({ eventSeq }) => eventSeq > after));
      if (events.length >= limit) break;
    }
    return { events: events.slice(0, limit), oldest: Number(this.file.row('oldestEvent')?.oldest), last, epoch };
  }

  #records(name: string, from: number, limit: number): StoredRecord[] {
    return core.cutPage(
      Iterator.from(this.file.rows(name, from, limit)).map(decodeRecord),
      ({ life }) => life !== null,
    );
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
