import { decodeOutcome } from '../codec/outcome-record.ts';
import { assertWritable } from '../codec/payload-bytes.ts';
import type { StoreEvent } from '../contract/events.ts';
import { arriving, dropped, type Facts, live } from '../contract/lifecycle.ts';
import { maxOperations, type Retention } from '../contract/options.ts';
import type { NamedValue } from '../contract/records.ts';
import { isLive, type Transaction } from '../contract/transaction.ts';
import type { FifoRecord } from '../rules/fifo-claims.ts';
import type { OperationRecord, Step, Write } from '../rules/step.ts';
import { EventSeries, evictedTail } from './event-series.ts';
import { FifoRows } from './fifo-rows.ts';
import { type KeptBlock, KeptBlocks } from './kept-blocks.ts';
import { NamedRecords } from './named-records.ts';
import { bodyOf, endRow, factsOf, type LogRow, pastEntry, pointOf, stateOf } from './row.ts';
import { Rows } from './rows.ts';
import { Series } from './series.ts';

/** A Pending transaction. */
export interface Queued {
  readonly hash: string;
  readonly seq: number;
}

/** A transaction that a call admitted. */
export interface Arrived {
  readonly body: Transaction;
  readonly seq: number;
  /** True if the same call evicted it again, for a later transaction. */
  readonly isOver: boolean;
}

/** The state of a pool in memory and all operations that change it. */
export class PoolState {
  retention: Retention;
  readonly rows: Rows = new Rows();
  readonly fifo: FifoRows = new FifoRows(this.rows);
  readonly blocks: KeptBlocks = new KeptBlocks();
  readonly log: Series<LogRow> = new Series();
  readonly events: EventSeries = new EventSeries();
  readonly operations: OperationRecords = new OperationRecords();
  readonly records: NamedRecords = new NamedRecords();
  readonly listeners: Set<() => void> = new Set();
  readonly #onForget: (hash: string) => void;

  constructor(retention: Retention, onForget: (hash: string) => void) {
    this.retention = retention;
    this.#onForget = onForget;
  }

  apply(step: Step<unknown>): void {
    const { writes, events, chain, operation, record, at } = step;
    assertWritable(writes);
    this.fifo.apply(step);
    if (chain !== null) this.blocks.apply(chain);
    for (const write of writes) this.#write(write, at);
    for (const event of events) this.events.push(event, at);
    this.#trimLog();
    if (operation !== null) this.operations.add(operation);
    if (record) this.records.apply(record);
  }

  /**
   * Does the same as `apply` for a call of a priority pool that admitted the unknown transactions `arrived` and evicted the
   * Pending transactions `ended`. Both are sorted by seq.
   */
  admitAndEvict(ended: Iterable<Queued>, arrived: Iterable<Arrived>, at: number): void {
    for (const { hash, seq } of ended) this.#evict({ hash, seq }, factsOf(this.rows.of(hash)), null, at);
    for (const { body, seq, isOver } of arrived) {
      if (isOver) this.#evict({ hash: body.hash, seq }, arriving, body, at);
      else this.events.pushArrival(body.hash, this.rows.arrive(body, at), at);
    }
    this.#trimLog();
    this.wake();
  }

  /** Trims the oldest events and notifies the listeners of new events. */
  wake(): void {
    this.events.trim(this.retention.maxEvents);
    if (this.listeners.size > 0) for (const listener of this.listeners) listener();
  }

  /**
   * Yields the whole state as records for `restore` on a new memory of the same epoch. Read them to the end before the
   * next step.
   */
  *dump(): Generator<MemoryRecord, undefined> {
    const { tick, floor } = this.blocks;
    const trimmed = { trimmedLog: this.log.oldest - 1, trimmedEvents: this.events.oldest - 1 };
    const fifo = this.fifo.dump();
    const { lastAt } = this.events;
    yield { kind: 'base', tick, floor, lastSeq: this.rows.lastSeq, ...trimmed, lastAt, ...(fifo && { fifo }) };
    for (const block of this.blocks.all()) yield { kind: 'block', block };
    const { pending, held, inflight } = this.rows.stageIndexes;
    const all = Number.POSITIVE_INFINITY;
    for (const list of [pending.after(0), held.until(all, all), inflight.after(0)])
      for (const row of list)
        yield { kind: 'write', write: { after: stateOf(row), point: pointOf(row), body: bodyOf(row) } };
    for (const [, entry] of this.log.from(1)) {
      const { final, point, at } = entry;
      const row = this.rows.logged(entry);
      const after = { ...final, facts: entry.facts ?? factsOf(row) };
      yield { kind: 'write', write: { after, point, body: row.mark === entry ? bodyOf(row) : null }, at };
    }
    for (const event of this.events.all()) yield { kind: 'event', event };
    for (const operation of this.operations.all()) yield { kind: 'operation', operation };
    for (const record of this.records.all()) yield { kind: 'record', record };
    const { lastVersion } = this.records.totals;
    if (lastVersion > 0) yield { kind: 'version', lastVersion };
  }

  /** Restores a record of `dump`, in the order of `dump`. From then on the pool owns its bytes. */
  restore(record: MemoryRecord): void {
    switch (record.kind) {
      case 'base':
        this.blocks.tick = record.tick;
        this.blocks.floor = record.floor;
        this.rows.lastSeq = record.lastSeq;
        this.log.last = record.trimmedLog;
        this.events.last = record.trimmedEvents;
        this.events.lastAt = record.lastAt ?? 0;
        if (record.fifo) this.fifo.restore(record.fifo);
        break;
      case 'block':
        this.blocks.add(record.block);
        break;
      case 'write':
        this.rows.stageIndexes.waiting.disorder();
        this.#restoreWrite(record.write, record.at ?? null);
        break;
      case 'event':
        this.events.push(record.event, record.event.at);
        break;
      case 'operation':
        this.operations.add(record.operation);
        break;
      case 'record':
        this.records.restore(record.record);
        break;
      case 'version':
        this.records.restoreVersion(record.lastVersion);
        break;
    }
  }

  /** Evicts a Pending transaction, or a new one whose body is given. */
  #evict({ hash, seq }: Queued, facts: Facts, body: Transaction | null, at: number): void {
    const after = dropped(live(hash, seq, 'Pending', 0, facts), 0, 'evicted');
    this.#write({ after, point: null, body }, at);
    const tail = evictedTail(body === null ? 'Pending' : 'Unknown', facts.attempts);
    this.events.pushOf(hash, seq, tail, facts.receivedAt, at);
  }

  #trimLog(): void {
    for (const entry of this.log.trim(this.retention.maxFinalized))
      if (this.rows.forget(entry)) this.#onForget(entry.final.hash);
  }

  #write(write: Write, at: number | null): void {
    const { after, point } = write;
    const row = this.rows.write(write, at);
    if (!isLive(after.stage)) this.log.push(endRow(row, after, point, at));
  }

  /** A write with a body is a live record or the latest log entry of its hash, so it makes a row. */
  #restoreWrite(write: Write, at: number | null): void {
    const { after, point, body } = write;
    if (body !== null) this.#write(write, at);
    else this.log.push(pastEntry(after, point, at, this.rows.find(after.hash)));
  }
}

/** A record of a pool's state in memory. It is plain data, for a file of any format. */
export type MemoryRecord =
  | {
      readonly kind: 'base';
      readonly tick: number;
      readonly floor: number;
      readonly lastSeq: number;
      /** Numbers of the newest log entry and the newest event that were trimmed. */
      readonly trimmedLog: number;
      readonly trimmedEvents: number;
      /** The time of the last call with events (E5); a record of an older version has none. */
      readonly lastAt?: number | undefined;
      /** Absent if the pool has no claims and no limit. */
      readonly fifo?: FifoRecord | null;
    }
  | { readonly kind: 'block'; readonly block: KeptBlock }
  /** A live record or a log entry. It has no body if a record with a later state of its hash has the body. */
  | {
      readonly kind: 'write';
      readonly write: Write;
      /** When a log entry was written (E5); absent if that is not known. */
      readonly at?: number | null;
    }
  | { readonly kind: 'event'; readonly event: StoreEvent }
  | { readonly kind: 'operation'; readonly operation: OperationRecord }
  /** A record of the application. */
  | { readonly kind: 'record'; readonly record: NamedValue }
  /** The version of the last change of a record. It comes after all records. */
  | { readonly kind: 'version'; readonly lastVersion: number };

/** Recorded outcomes in two generations (X2). When the younger one is full, the older one is removed as a whole. */
export class OperationRecords {
  #young = new Map<string, Uint8Array>();
  #old = new Map<string, Uint8Array>();

  /** Returns the recorded outcome; `null` if there is none. @throws `ERR_MEMPOOL_INVALID` if another call used the id */
  find<Outcome>(verb: string, id: string, digest: Uint8Array | undefined): { readonly outcome: Outcome } | null {
    const record = this.#young.get(id) ?? this.#old.get(id);
    return record === undefined ? null : { outcome: decodeOutcome<Outcome>(verb, record, digest) };
  }

  add({ id, record }: OperationRecord): void {
    if (this.#young.size >= maxOperations) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(id, record);
  }

  /** All records, the oldest first. */
  *all(): Generator<OperationRecord, undefined> {
    for (const generation of [this.#old, this.#young]) for (const [id, record] of generation) yield { id, record };
  }
}
