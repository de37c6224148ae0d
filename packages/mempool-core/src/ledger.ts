import { logEntry, logPage, statusOf, storedTransaction } from './answers.ts';
import { Arrivals } from './arrivals.ts';
import { EventSeries } from './event-series.ts';
import type { EventPage, EventSource } from './events.ts';
import { KeptBlocks } from './kept-blocks.ts';
import type { LedgerRecord } from './ledger-record.ts';
import type { Life, Thresholds } from './lifecycle.ts';
import { OperationRecords } from './operation-records.ts';
import type { Retention } from './options.ts';
import { cutPage } from './ordering.ts';
import { bodyOf, type LogRow, lifeOf, pointOf, type Row } from './row.ts';
import { Rows } from './rows.ts';
import type { SeqList } from './seq-list.ts';
import { Series } from './series.ts';
import { type PoolView, receiveStep, type Step, type Write } from './step.ts';
import type { LogPage, ReceiveOutcome, TipAnswer, Usage } from './store.ts';
import {
  type ChainPoint,
  isInflight,
  isLive,
  type StoredTransaction,
  type Tip,
  type Transaction,
  type TransactionStatus,
} from './transaction.ts';

/**
 * A pool's whole state in memory: the view that steps are planned on, the answers of every reading verb, and one method that
 * writes. For a backend that keeps its working set in memory, whatever it keeps besides.
 */
export class Ledger implements PoolView, EventSource {
  /** Trimming follows at the next write that appends. */
  retention: Retention;
  readonly #epoch: string;
  readonly #rows = new Rows();
  readonly arrivals: Arrivals = new Arrivals(this.#rows);
  readonly #blocks = new KeptBlocks();
  readonly #log = new Series<LogRow>();
  readonly #events = new EventSeries();
  readonly #operations = new OperationRecords();
  readonly #listeners = new Set<() => void>();
  readonly #onForget: (hash: string) => void;

  /** `epoch`: made when the pool was made, and kept with it. `onForget`: told of each hash that left the log for good. */
  constructor(epoch: string, retention: Retention, onForget: (hash: string) => void = () => undefined) {
    this.#epoch = epoch;
    this.retention = retention;
    this.#onForget = onForget;
  }

  /** Writes a step that was planned on this ledger as it is, then wakes the listeners. */
  apply(step: Step<unknown>): void {
    this.#apply(step);
    if (step.events.length > 0) this.#wake();
  }

  /**
   * What `receiveStep` and `apply` do (L1, L2, L13), without a step for what nobody knows, as nearly every transaction is: its row
   * and its event are all that is made of it. For a pool that is kept nowhere else.
   */
  arrive(transactions: readonly Transaction[], thresholds: Thresholds): ReceiveOutcome[] {
    const before = this.lastEventSeq;
    const outcome = transactions.map((body): ReceiveOutcome => {
      const { hash } = body;
      if (this.#rows.find(hash) !== null || this.sighting(hash) !== null) return this.#receiveKnown(body, thresholds);
      const seq = this.#rows.arrive(body);
      this.#events.pushArrival(hash, seq);
      return { kind: 'received', hash, seq, stage: 'Pending' };
    });
    if (this.lastEventSeq > before) this.#wake();
    return outcome;
  }

  /** Follows a step that was written elsewhere; its events are not kept here. */
  follow({ writes, chain }: Pick<Step<unknown>, 'writes' | 'chain'>, lastEventSeq: number): void {
    this.#apply({ outcome: null, writes, events: [], chain, operation: null });
    this.#events.last = lastEventSeq;
  }

  /** The whole state in pieces, for `restore` on a new ledger of the same epoch. Read it to the end before the next step. */
  *dump(): Generator<LedgerRecord, undefined> {
    const { tick, floor } = this.#blocks;
    const trimmed = { trimmedLog: this.#log.oldest - 1, trimmedEvents: this.#events.oldest - 1 };
    const arrivals = this.arrivals.dump();
    yield { kind: 'base', tick, floor, lastSeq: this.lastSeq, ...trimmed, ...(arrivals && { arrivals }) };
    for (const block of this.#blocks.all()) yield { kind: 'block', block };
    for (const list of [this.#rows.shelves.pending, this.#rows.shelves.inflight])
      for (const row of list.after(0))
        yield { kind: 'write', write: { after: lifeOf(row), point: pointOf(row), body: bodyOf(row) } };
    for (const [, { life, point }] of this.#log.from(1)) {
      const row = this.#rows.of(life.hash);
      yield { kind: 'write', write: { after: life, point, body: row.mark?.final === life ? bodyOf(row) : null } };
    }
    for (const event of this.#events.from(1)) yield { kind: 'event', event };
    for (const operation of this.#operations.all()) yield { kind: 'operation', operation };
  }

  /** Takes a piece that `dump` gave, in the same order; its bytes are the ledger's from here on. */
  restore(record: LedgerRecord): void {
    switch (record.kind) {
      case 'base':
        this.#blocks.tick = record.tick;
        this.#blocks.floor = record.floor;
        this.#rows.lastSeq = record.lastSeq;
        this.#log.last = record.trimmedLog;
        this.#events.last = record.trimmedEvents;
        if (record.arrivals) this.arrivals.restore(record.arrivals);
        break;
      case 'block':
        this.#blocks.add(record.block);
        break;
      case 'write':
        this.#restoreWrite(record.write);
        break;
      case 'event':
        this.#events.push(record.event);
        break;
      case 'operation':
        this.#operations.add(record.operation);
        break;
    }
  }

  /** X2. @throws `ERR_MEMPOOL_INVALID` where the id was used for another verb */
  findOperation<Outcome>(verb: string, id: string | undefined): { readonly outcome: Outcome } | null {
    return id === undefined ? null : this.#operations.find<Outcome>(verb, id);
  }

  get lastSeq(): number {
    return this.#rows.lastSeq;
  }

  /** Hashes that are live or in the log. */
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

  get currentTip(): Tip {
    const { tick } = this.#blocks;
    return { point: this.pointAt(tick), tick };
  }

  life(hash: string): Life | null {
    const row = this.#rows.find(hash);
    return row && lifeOf(row);
  }

  confirmedAt(hash: string): ChainPoint | null {
    const row = this.#rows.find(hash);
    return row && pointOf(row);
  }

  sighting(hash: string): number | null {
    return this.#blocks.sighting(hash);
  }

  pointAt(tick: number): ChainPoint | null {
    const point = this.#blocks.at(tick);
    return point === null ? null : { ...point };
  }

  tickOf(point: ChainPoint): number | null {
    return this.#blocks.tickOf(point);
  }

  aged(finalizable: number, droppable: number): Life[] {
    const { confirmed, waiting } = this.#rows.shelves;
    return [...confirmed.upTo(finalizable), ...waiting.upTo(droppable)];
  }

  confirmedAfter(tick: number): Life[] {
    const { confirmed, finalized } = this.#rows.shelves;
    return [...confirmed.after(tick), ...finalized.after(tick)];
  }

  waitingAfter(tick: number): Life[] {
    return this.#rows.shelves.waiting.after(tick);
  }

  peekPending(after: number, limit: number): StoredTransaction[] {
    return this.#page(this.#rows.shelves.pending, after, limit);
  }

  peekInflight(after: number, limit: number): StoredTransaction[] {
    return this.#page(this.#rows.shelves.inflight, after, limit);
  }

  findInflight(hashes: readonly string[]): (StoredTransaction | null)[] {
    return hashes.map((hash) => {
      const row = this.#rows.find(hash);
      return row !== null && isInflight(row.stage) ? this.#stored(row) : null;
    });
  }

  /** Pending ones behind a seq, by seq. */
  pendingAfter(seq: number): Iterable<{ readonly hash: string }> {
    return this.#rows.shelves.pending.after(seq);
  }

  /** The live ones among these. */
  stored(hashes: readonly string[]): StoredTransaction[] {
    const rows = hashes.map((hash) => this.#rows.find(hash));
    return rows.filter((row) => row !== null && isLive(row.stage)).map((row) => this.#stored(row as Row));
  }

  checkStatus(hashes: readonly string[]): TransactionStatus[] {
    return hashes.map((hash) => {
      return statusOf(hash, this.life(hash), this.confirmedAt(hash), this.#blocks.tick);
    });
  }

  dumpFinalized(cursor: number, limit: number): LogPage {
    const entries = this.#log
      .from(cursor)
      .take(limit)
      .map(([number, { life, point }]) => logEntry(number, life, bodyOf(this.#rows.of(life.hash)), point));
    const page = cutPage(entries, () => true);
    return logPage(page, cursor, this.#log.oldest, this.#log.last);
  }

  tip(points: number): TipAnswer {
    const { tick } = this.currentTip;
    const count = Math.min(points, tick - this.floor + 1);
    const kept = Array.from({ length: count }, (_, i) => this.pointAt(tick - i));
    return { ...this.currentTip, points: kept.filter((point) => point !== null) };
  }

  usage(): Usage {
    return {
      pending: this.#rows.shelves.count('Pending'),
      propagated: this.#rows.shelves.count('Propagated'),
      acknowledged: this.#rows.shelves.count('Acknowledged'),
      confirmed: this.#rows.shelves.count('Confirmed'),
      logged: this.#log.length,
      lastLogSeq: this.#log.last,
      lastSeq: this.lastSeq,
      lastEventSeq: this.#events.last,
    };
  }

  readEvents(after: number, limit: number): EventPage {
    const { oldest, last } = this.#events;
    return { events: [...this.#events.from(after + 1).take(limit)], oldest, last, epoch: this.#epoch };
  }

  onEvents(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #apply(step: Step<unknown>): void {
    const { writes, events, chain, operation } = step;
    this.arrivals.apply(step);
    if (chain !== null) this.#blocks.apply(chain);
    for (const write of writes) this.#rows.write(write);
    for (const { after, point } of writes) if (!isLive(after.stage)) this.#log.push({ life: after, point });
    for (const event of events) this.#events.push(event);
    for (const { life } of this.#log.trim(this.retention.maxFinalized))
      if (this.#rows.forget(life)) this.#onForget(life.hash);
    if (operation !== null) this.#operations.add(operation);
  }

  #wake(): void {
    this.#events.trim(this.retention.maxEvents);
    for (const listener of this.#listeners) listener();
  }

  #receiveKnown(body: Transaction, thresholds: Thresholds): ReceiveOutcome {
    const step = receiveStep(this, [body], thresholds);
    this.#apply(step);
    return step.outcome[0] as ReceiveOutcome;
  }

  /** A row comes with its body: a live one, or the latest log entry of its hash. */
  #restoreWrite(write: Write): void {
    const { after, point, body } = write;
    if (body !== null) this.#rows.write(write);
    if (!isLive(after.stage)) this.#log.push({ life: after, point });
  }

  #page(list: SeqList, after: number, limit: number): StoredTransaction[] {
    const records = list
      .after(after)
      .take(limit)
      .map((row) => this.#stored(row));
    return cutPage(records, () => true);
  }

  #stored(row: Row): StoredTransaction {
    return storedTransaction(lifeOf(row), bodyOf(row), pointOf(row), this.#blocks.tick);
  }
}
