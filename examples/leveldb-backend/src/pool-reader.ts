import {
  isInflight,
  type LogEntry,
  type LogPage,
  type StoredTransaction,
  type StoreEvent,
  type TipAnswer,
  type TransactionStatus,
  type Usage,
} from 'mempool-core';
import {
  bytesToHash,
  corrupt,
  cutPage,
  decodeEvents,
  type EventPage,
  logEntry,
  logPage,
  maxPageBytes,
  payloadChecksum,
  statusOf,
  storedTransaction,
} from 'mempool-core/backend';
import { keyNumber, numberKey, type Reader, type Section } from './database.ts';
import {
  damaged,
  decodeLogEntry,
  decodeState,
  decodeTransaction,
  type PoolState,
  type TransactionRecord,
} from './record.ts';
import { LoadedView } from './view.ts';

/** The reading verbs, on one snapshot: they all answer from one state of the pool. */
export class PoolReader {
  readonly state: PoolState;
  readonly reader: Reader;

  private constructor(reader: Reader, state: PoolState) {
    this.reader = reader;
    this.state = state;
  }

  static async of(reader: Reader): Promise<PoolReader> {
    const state = await reader.get('meta', 'pool');
    if (state === undefined) throw damaged('state of the pool');
    return new PoolReader(reader, decodeState(state));
  }

  async page(section: Section, after: number, limit: number): Promise<StoredTransaction[]> {
    const found = await this.reader.entries(section, { gt: numberKey(after), limit });
    return this.#page(found, async ([key, hash]) => {
      const seq = keyNumber(key);
      const record = await this.#record(bytesToHash(hash), { seq });
      return this.#stored(record);
    });
  }

  async inflight(hash: string): Promise<StoredTransaction | null> {
    const bytes = await this.reader.get('transactions', hash);
    if (bytes === undefined) return null;
    const record = decodeTransaction(hash, bytes);
    return isInflight(record.txState.stage) ? this.#stored(record) : null;
  }

  async statuses(hashes: readonly string[]): Promise<TransactionStatus[]> {
    const found = await this.reader.getMany('transactions', hashes);
    return hashes.map((hash, i) => {
      const bytes = found[i];
      if (bytes === undefined) return statusOf(hash, null, null, this.state.tick);
      const { txState, point } = decodeTransaction(hash, bytes);
      return statusOf(hash, txState, point, this.state.tick);
    });
  }

  async log(cursor: number, limit: number): Promise<LogPage> {
    const { oldestLogSeq, lastLogSeq } = this.state;
    const found = await this.reader.entries('log', { gte: numberKey(cursor), limit });
    const page = await this.#page(found, async ([key, bytes]): Promise<LogEntry> => {
      const logSeq = keyNumber(key);
      const { txState, point } = decodeLogEntry(bytes);
      const { hash, seq } = txState;
      const record = await this.#record(hash, { seq, logSeq });
      return logEntry(logSeq, txState, await this.#body(record, { seq, logSeq }), point);
    });
    return logPage(page, cursor, oldestLogSeq, lastLogSeq);
  }

  async tip(points: number): Promise<TipAnswer> {
    const { tick, floor, tip } = this.state;
    const view = new LoadedView(this.reader, this.state);
    const ticks = Array.from({ length: Math.min(points, tick - floor + 1) }, (_, i) => tick - i);
    await view.loadBlocks(ticks);
    return { point: tip, tick, points: ticks.map((each) => view.pointAt(each)).filter((point) => point !== null) };
  }

  usage(): Usage {
    const { pending, propagated, acknowledged, confirmed, lastLogSeq, oldestLogSeq, lastSeq, lastEventSeq } =
      this.state;
    const logged = lastLogSeq - oldestLogSeq + 1;
    return { pending, held: 0, propagated, acknowledged, confirmed, logged, lastLogSeq, lastSeq, lastEventSeq };
  }

  /** A record holds the events of one call. The first of them may be older than those asked for. */
  async events(after: number, limit: number): Promise<EventPage> {
    const found = await this.reader.entries('events', { gt: numberKey(after), limit });
    const events: StoreEvent[] = [];
    for (const [key, bytes] of found) {
      if (events.length >= limit) break;
      events.push(...decodeEvents(bytes, keyNumber(key)).filter(({ eventSeq }) => eventSeq > after));
    }
    const { oldestEventSeq, lastEventSeq, epoch } = this.state;
    return { events: events.slice(0, limit), oldest: oldestEventSeq, last: lastEventSeq, epoch };
  }

  /** A page up to the first damaged record, with no more bytes than a page may have (O6, M2). */
  async #page<Item extends StoredTransaction | LogEntry>(
    found: readonly [string, Buffer][],
    read: (entry: [string, Buffer]) => Promise<Item>,
  ): Promise<Item[]> {
    const items: Item[] = [];
    let bytes = 0;
    for (const entry of found) {
      try {
        items.push(await read(entry));
      } catch (error) {
        if (items.length === 0) throw error;
        break;
      }
      bytes += items.at(-1)?.payload.length ?? 0;
      if (bytes > maxPageBytes) break;
    }
    return cutPage(items, () => true);
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
