import type { WriteContext } from '../contract/call-options.ts';
import type { DriverLogPage, DriverPage, DriverUsage } from '../contract/driver-page.ts';
import type { EventPage, EventSource } from '../contract/events.ts';
import type { TxState } from '../contract/lifecycle.ts';
import type { Retention } from '../contract/options.ts';
import { cutPage } from '../contract/page-rules.ts';
import type { OldestInflight, TipAnswer } from '../contract/store.ts';
import {
  type ChainPoint,
  isInflight,
  isLive,
  type LogEntry,
  type StoredTransaction,
  type Tip,
  type TransactionStatus,
} from '../contract/transaction.ts';
import type { NumbersPart } from '../contract/transfer.ts';
import { logEntry, logPage, seqPage, statusOf, storedTransaction } from '../rules/answers.ts';
import type { PoolView, Step } from '../rules/step.ts';
import type { EventLog } from './event-log.ts';
import type { FifoRows } from './fifo-rows.ts';
import type { KeptBlocks } from './kept-blocks.ts';
import type { NamedRecords } from './named-records.ts';
import type { NumberedList } from './numbered-list.ts';
import { PoolPages } from './pool-pages.ts';
import { type MemoryRecord, recordsOf, restoreRecord } from './pool-records.ts';
import { PoolState } from './pool-state.ts';
import { bodyOf, type Ended, type Rows } from './rows.ts';
import { behindSeq, behindTick, bySending, type Row } from './stage-indexes.ts';

/**
 * The whole state of a pool in memory. Rules plan steps on it, `apply` writes them, and it answers every reading verb. It
 * is for a backend that keeps its working set in memory, with or without another storage.
 */
export class MemoryPool implements PoolView, EventSource {
  /** Identifies the pool (O7). */
  readonly epoch: string;
  readonly #state: PoolState;
  readonly #rows: Rows;
  readonly #blocks: KeptBlocks;
  readonly #log: NumberedList<Ended>;
  readonly #events: EventLog;

  /**
   * `epoch` is made with the pool and stored with it. `onForget` is called with each hash that leaves the log for good.
   */
  constructor(epoch: string, retention: Retention, onForget: (hash: string) => void = () => undefined) {
    this.epoch = epoch;
    this.#state = new PoolState(retention, onForget);
    const { rows, blocks, events } = this.#state;
    this.#rows = rows;
    this.#blocks = blocks;
    this.#log = rows.log;
    this.#events = events;
  }

  /** How much history the pool keeps. A change takes effect at the next write that appends. */
  get retention(): Retention {
    return this.#state.retention;
  }

  set retention(retention: Retention) {
    this.#state.retention = retention;
  }

  get fifo(): FifoRows {
    return this.#state.fifo;
  }

  /** The records of the application (K1–K4). */
  get records(): NamedRecords {
    return this.#state.records;
  }

  /** Writes a step that was planned on the current state, then notifies the listeners. */
  apply(step: Step<unknown>): void {
    this.#state.apply(step);
  }

  /** Applies a step that is stored elsewhere. Its events are not kept here. */
  follow({ writes, chain }: Pick<Step<unknown>, 'writes' | 'chain'>, lastEventSeq: number, at: number | null): void {
    this.#state.apply({ outcome: null, writes, events: [], chain, operation: null, at });
    this.#events.last = lastEventSeq;
  }

  /**
   * Yields the whole state as records for `restore` on a new memory of the same epoch. Read them to the end before the
   * next step.
   */
  dump(): Generator<MemoryRecord, undefined> {
    return recordsOf(this.#state);
  }

  /** Restores a record of `dump`, in the order of `dump`. From then on the pool owns its bytes. */
  restore(record: MemoryRecord): void {
    restoreRecord(this.#state, record);
  }

  /** The pages of an export. */
  get pages(): PoolPages {
    return new PoolPages(this.#state);
  }

  /** Numbers the entries of an empty log from this one on. */
  startLog(first: number): void {
    this.#log.last = first - 1;
  }

  /** Sets the numbers of a pool that is filled by an import. */
  setNumbers(numbers: NumbersPart): void {
    this.#state.setNumbers(numbers);
  }

  /** Returns the recorded outcome; `null` if there is none (X2). @throws `ERR_MEMPOOL_INVALID` if another call used the id */
  findOperation<Outcome>(
    verb: string,
    { operationId, digest }: Pick<WriteContext, 'operationId' | 'digest'>,
  ): { readonly outcome: Outcome } | null {
    return operationId === undefined ? null : this.#state.operations.find<Outcome>(verb, operationId, digest);
  }

  get lastSeq(): number {
    return this.#rows.lastSeq;
  }

  /** The number of hashes that are live or in the log. */
  get size(): number {
    return this.#rows.size;
  }

  get maxRollback(): number {
    return this.retention.maxRollback;
  }

  get floor(): number {
    return this.#blocks.floor;
  }

  get lastEventSeq(): number {
    return this.#events.last;
  }

  get lastAt(): number {
    return this.#events.lastAt;
  }

  get currentTip(): Tip {
    const { tick } = this.#blocks;
    return { point: this.pointAt(tick), tick };
  }

  /** Number of the oldest log entry kept; `lastLogSeq + 1` if none is kept. */
  get firstLogSeq(): number {
    return this.#log.oldest;
  }

  get lastLogSeq(): number {
    return this.#log.last;
  }

  /**
   * Returns the hashes that are not live and whose latest log entry has a lower number. The pool forgets them when it trims
   * these entries.
   */
  endedBefore(logSeq: number): string[] {
    const hashes: string[] = [];
    for (let number = this.firstLogSeq; number < logSeq && number <= this.#log.last; number++) {
      const row = this.#rows.latest(number);
      if (row !== null) hashes.push(row.txState.hash);
    }
    return hashes;
  }

  txState(hash: string): TxState | null {
    return this.#rows.find(hash)?.txState ?? null;
  }

  claimOf(hash: string): string | null {
    return this.#state.fifo.claimOf(hash);
  }

  confirmedAt(hash: string): ChainPoint | null {
    return this.#rows.find(hash)?.point ?? null;
  }

  inclusion(hash: string): number | null {
    return this.#blocks.inclusion(hash);
  }

  pointAt(tick: number): ChainPoint | null {
    const point = this.#blocks.at(tick);
    return point === null ? null : { ...point };
  }

  tickOf(point: ChainPoint): number | null {
    return this.#blocks.tickOf(point);
  }

  aged(finalizable: number, droppable: number): TxState[] {
    const { confirmed, waiting } = this.#rows.stageIndexes;
    return statesOf([...confirmed.upTo(behindTick(finalizable)), ...waiting.upTo(behindTick(droppable))]);
  }

  confirmedAfter(tick: number): TxState[] {
    const { confirmed, finalized } = this.#rows.stageIndexes;
    return statesOf([confirmed, finalized].flatMap((list) => [...list.after(behindTick(tick))]));
  }

  waitingAfter(tick: number): TxState[] {
    return statesOf([...this.#rows.stageIndexes.waiting.after(behindTick(tick))]);
  }

  sentBefore(ms: number, limit: number): TxState[] {
    const found: Row[] = [];
    for (const row of this.#rows.stageIndexes.waiting) {
      const { sentAt } = row.txState.facts;
      if (sentAt === null) continue;
      // Rows that went out in the same millisecond are ordered by seq below.
      if (sentAt >= ms || (found.length >= limit && found.at(-1)?.txState.facts.sentAt !== sentAt)) break;
      found.push(row);
    }
    return statesOf(found.sort(bySending).slice(0, limit));
  }

  peekPending(after: number, limit: number): DriverPage {
    return this.#cut(this.#rows.stageIndexes.pending.after(behindSeq(after)).take(limit), after);
  }

  peekInflight(after: number, limit: number): DriverPage {
    return this.#cut(this.#rows.stageIndexes.inflight.after(behindSeq(after)).take(limit), after);
  }

  findInflight(hashes: readonly string[]): (StoredTransaction | null)[] {
    return hashes.map((hash) => {
      const row = this.#rows.find(hash);
      return row !== undefined && isInflight(row.txState.stage) ? this.#stored(row) : null;
    });
  }

  /** The Pending transactions with a greater seq, by seq. */
  pendingAfter(seq: number): Iterable<{ readonly hash: string }> {
    return this.#rows.stageIndexes.pending.after(behindSeq(seq)).map(({ txState }) => txState);
  }

  /** Returns the page, after the seq `after`, of the live transactions among these hashes. The hashes are ordered by seq. */
  stored(hashes: readonly string[], after: number): DriverPage {
    const rows = hashes.map((hash) => this.#rows.find(hash));
    const live = rows.filter((row) => row !== undefined).filter(({ txState }) => isLive(txState.stage));
    return this.#cut(live.values(), after);
  }

  checkStatus(hashes: readonly string[]): TransactionStatus[] {
    return hashes.map((hash) => {
      return statusOf(hash, this.txState(hash), this.confirmedAt(hash), this.#blocks.tick);
    });
  }

  dumpFinalized(cursor: number, limit: number): DriverLogPage {
    const { oldest, last } = this.#log;
    const first = Math.max(cursor, oldest);
    const entries = this.#log.page(first, limit).map((ended, i) => this.#logEntry(first + i, ended));
    return logPage(cutPage(entries), { cursor, oldest, last, epoch: this.epoch }, (entry) => entry);
  }

  tip(points: number): TipAnswer {
    const { tick } = this.currentTip;
    const count = Math.min(points, tick - this.floor + 1);
    const kept = Array.from({ length: count }, (_, i) => this.pointAt(tick - i));
    return { ...this.currentTip, points: kept.filter((point) => point !== null), epoch: this.epoch };
  }

  usage(): DriverUsage {
    const { counts, held } = this.#rows.stageIndexes;
    return {
      pending: counts.Pending,
      propagated: counts.Propagated,
      acknowledged: counts.Acknowledged,
      confirmed: counts.Confirmed,
      held: held.length,
      logged: this.#log.length,
      lastLogSeq: this.#log.last,
      lastSeq: this.lastSeq,
      lastEventSeq: this.#events.last,
      epoch: this.epoch,
      oldestInflight: this.#oldestInflight(),
    };
  }

  readEvents(after: number, limit: number): EventPage {
    const { oldest, last } = this.#events;
    return { events: this.#events.copies(after + 1, limit), oldest, last, epoch: this.epoch };
  }

  onEvents(listener: () => void): () => void {
    this.#state.listeners.add(listener);
    return () => this.#state.listeners.delete(listener);
  }

  #cut(rows: IteratorObject<Row, undefined, unknown>, after: number): DriverPage {
    const records = rows.map((row) => this.#stored(row));
    return seqPage(cutPage(records), { after, epoch: this.epoch }, (record) => record);
  }

  #oldestInflight(): OldestInflight | null {
    const [oldest] = this.sentBefore(Number.POSITIVE_INFINITY, 1);
    return oldest === undefined ? null : { hash: oldest.hash, sentAt: oldest.facts.sentAt ?? 0 };
  }

  #logEntry(number: number, { txState, point, at }: Ended): LogEntry {
    return logEntry(number, txState, bodyOf(this.#rows.find(txState.hash) as Row), point, at);
  }

  #stored(row: Row): StoredTransaction {
    return storedTransaction(row.txState, bodyOf(row), row.point, this.#blocks.tick);
  }
}

function statesOf(rows: readonly Row[]): TxState[] {
  return rows.map(({ txState }) => txState);
}
