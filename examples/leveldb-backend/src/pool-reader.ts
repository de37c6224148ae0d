import {
  isInflight,
  isMempoolError,
  type LogEntry,
  type StoredTransaction,
  type StoreEvent,
  type TipAnswer,
  type TransactionStatus,
} from 'mempool-core';
import {
  bytesToHash,
  type Cut,
  corrupt,
  cutPage,
  type DamageReport,
  type DriverLogPage,
  type DriverPage,
  type DriverUsage,
  type EventPage,
  logEntry,
  logPage,
  maxPageBytes,
  payloadChecksum,
  type ReadRecord,
  seqPage,
  statusOf,
  storedTransaction,
  unreadableStatus,
} from 'mempool-core/backend';
import { keyNumber, numberKey, type Reader, type Section } from './database.ts';
import {
  damaged,
  decodeEventRecord,
  decodeLogEntry,
  decodeState,
  decodeTransaction,
  type PoolState,
  type TransactionRecord,
} from './record.ts';
import { LoadedView } from './view.ts';

/** The payload of a place whose record is not read. */
const noBytes = new Uint8Array();

/** The reading verbs, on one snapshot: they all answer from one state of the pool. */
export class PoolReader {
  readonly state: PoolState;
  readonly reader: Reader;
  readonly #damage: DamageReport;

  private constructor(reader: Reader, state: PoolState, damage: DamageReport) {
    this.reader = reader;
    this.state = state;
    this.#damage = damage;
  }

  static async of(reader: Reader, damage: DamageReport): Promise<PoolReader> {
    const state = await reader.get('meta', 'pool');
    if (state === undefined) throw damaged('state of the pool');
    return new PoolReader(reader, decodeState(state), damage);
  }

  async page(section: Section, after: number, limit: number): Promise<DriverPage> {
    const found = await this.reader.entries(section, { gt: numberKey(after), limit });
    const places = found.map(([key, hash]) => ({ hash: bytesToHash(hash), seq: keyNumber(key), payload: noBytes }));
    const page = await this.#page(places, async ({ hash, seq }) => this.#stored(await this.#record(hash, { seq })));
    return seqPage(page, { after, epoch: this.state.epoch }, (record) => record as StoredTransaction);
  }

  async inflight(hash: string): Promise<StoredTransaction | null> {
    const bytes = await this.reader.get('transactions', hash);
    if (bytes === undefined) return null;
    try {
      const record = decodeTransaction(hash, bytes);
      return isInflight(record.txState.stage) ? await this.#stored(record) : null;
    } catch (error) {
      if (!isMempoolError(error, 'ERR_MEMPOOL_CORRUPT')) throw error;
      this.#damage({ hash, seq: Number(error.details.seq ?? 0) });
      return null;
    }
  }

  async statuses(hashes: readonly string[]): Promise<TransactionStatus[]> {
    const found = await this.reader.getMany('transactions', hashes);
    return hashes.map((hash, i) => {
      const bytes = found[i];
      if (bytes === undefined) return statusOf(hash, null, null, this.state.tick);
      try {
        const { txState, point } = decodeTransaction(hash, bytes);
        return statusOf(hash, txState, point, this.state.tick);
      } catch (error) {
        if (isMempoolError(error, 'ERR_MEMPOOL_CORRUPT')) return unreadableStatus(hash);
        throw error;
      }
    });
  }

  async log(cursor: number, limit: number): Promise<DriverLogPage> {
    const { oldestLogSeq: oldest, lastLogSeq: last, epoch } = this.state;
    const found = await this.reader.entries('log', { gte: numberKey(cursor), limit });
    const places = found.map(([key, bytes]) => ({ hash: '', seq: 0, logSeq: keyNumber(key), payload: noBytes, bytes }));
    const page = await this.#page(places, async ({ logSeq, bytes }): Promise<LogEntry> => {
      const { txState, point, at } = decodeLogEntry(bytes as Buffer);
      const { hash, seq } = txState;
      const record = await this.#record(hash, { seq, logSeq });
      return logEntry(logSeq, txState, await this.#body(record, { seq, logSeq }), point, at);
    });
    return logPage(page, { cursor, oldest, last, epoch }, (record) => record as LogEntry);
  }

  async tip(points: number): Promise<TipAnswer> {
    const { tick, floor, tip } = this.state;
    const view = new LoadedView(this.reader, this.state);
    const ticks = Array.from({ length: Math.min(points, tick - floor + 1) }, (_, i) => tick - i);
    await view.loadBlocks(ticks);
    const kept = ticks.map((each) => view.pointAt(each)).filter((point) => point !== null);
    return { point: tip, tick, points: kept, epoch: this.state.epoch };
  }

  async usage(): Promise<DriverUsage> {
    const { pending, propagated, acknowledged, confirmed, lastLogSeq, oldestLogSeq, lastSeq, lastEventSeq, epoch } =
      this.state;
    const logged = lastLogSeq - oldestLogSeq + 1;
    const stages = { pending, held: 0, propagated, acknowledged, confirmed };
    const oldestInflight = await this.#oldestInflight();
    return { ...stages, logged, lastLogSeq, lastSeq, lastEventSeq, epoch, oldestInflight };
  }

  /** The order by tick, time and seq is that of time. */
  async #oldestInflight(): Promise<DriverUsage['oldestInflight']> {
    const [first] = await this.reader.entries('sent', { limit: 1 });
    if (first === undefined) return null;
    const hash = bytesToHash(first[1]);
    const { sentAt } = (await this.#record(hash, { seq: 0 })).txState.facts;
    return sentAt === null ? null : { hash, sentAt };
  }

  /** A record holds the events of one call. The first of them may be older than those asked for. */
  async events(after: number, limit: number): Promise<EventPage> {
    const found = await this.reader.entries('events', { gt: numberKey(after), limit });
    const events: StoreEvent[] = [];
    for (const [key, bytes] of found) {
      if (events.length >= limit) break;
      events.push(...decodeEventRecord(bytes, keyNumber(key)).filter(({ eventSeq }) => eventSeq > after));
    }
    const { oldestEventSeq, lastEventSeq, epoch } = this.state;
    return { events: events.slice(0, limit), oldest: oldestEventSeq, last: lastEventSeq, epoch };
  }

  /** A page with no more bytes than a page may have. It passes over damaged records (O6, M2). */
  async #page<Place extends ReadRecord, Found extends ReadRecord>(
    places: readonly Place[],
    read: (place: Place) => Promise<Found>,
  ): Promise<Cut<Place | Found>> {
    const records: (Place | Found)[] = [];
    let bytes = 0;
    for (const place of places) {
      records.push(await read(place).catch(() => place));
      bytes += records.at(-1)?.payload.length ?? 0;
      if (bytes > maxPageBytes) break;
    }
    return cutPage(records, (record) => record.payload !== noBytes, this.#damage);
  }

  async #stored(record: TransactionRecord): Promise<StoredTransaction> {
    const { txState, point } = record;
    return storedTransaction(txState, await this.#body(record, { seq: txState.seq }), point, this.state.tick);
  }

  /** The payload as it was received. @throws `ERR_MEMPOOL_CORRUPT` naming the place to continue from */
  async #body({ txState, payloadType, checksum }: TransactionRecord, place: { seq: number; logSeq?: number }) {
    const payload = await this.reader.get('payloads', txState.hash);
    if (payload === undefined || payloadChecksum(payload) !== checksum) throw corrupt({ hash: txState.hash, ...place });
    return { payload, payloadType };
  }

  async #record(hash: string, place: { seq: number; logSeq?: number }): Promise<TransactionRecord> {
    const bytes = await this.reader.get('transactions', hash);
    if (bytes === undefined) throw corrupt({ hash, ...place });
    return decodeTransaction(hash, bytes);
  }
}
