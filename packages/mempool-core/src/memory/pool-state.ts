import { decodeOutcome } from '../codec/outcome-record.ts';
import { assertWritable } from '../codec/payload-bytes.ts';
import type { StoreEvent } from '../contract/events.ts';
import { maxOperations, type Retention } from '../contract/options.ts';
import type { RecordStep } from '../contract/pool-entry.ts';
import type { NamedValue } from '../contract/records.ts';
import type { NumbersPart } from '../contract/transfer.ts';
import type { FifoRecord } from '../rules/fifo-claims.ts';
import type { OperationRecord, Step, Write } from '../rules/step.ts';
import type { EndLog } from './end-log.ts';
import { EventSeries } from './event-series.ts';
import { FifoRows } from './fifo-rows.ts';
import { type KeptBlock, KeptBlocks } from './kept-blocks.ts';
import { NamedRecords } from './named-records.ts';
import { Rows } from './rows.ts';
import { noSlot, type Slots } from './slots.ts';

/** Is told each hash that left the log for good, and the slot that it had in the ledger. */
export type OnForget = (hash: string, slot: number) => void;

/** The state of a pool in memory and all operations that change it. */
export class PoolState {
  retention: Retention;
  readonly rows: Rows;
  readonly fifo: FifoRows;
  readonly blocks: KeptBlocks = new KeptBlocks();
  readonly log: EndLog;
  readonly events: EventSeries = new EventSeries();
  readonly operations: OperationRecords = new OperationRecords();
  readonly records: NamedRecords = new NamedRecords();
  readonly listeners: Set<() => void> = new Set();
  readonly #onForget: OnForget;

  constructor(retention: Retention, slots: Slots, onForget: OnForget) {
    this.retention = retention;
    this.rows = new Rows(slots);
    this.fifo = new FifoRows(this.rows);
    this.log = this.rows.log;
    this.#onForget = onForget;
  }

  apply(step: Step<unknown>): void {
    const { writes, events, chain, operation, record } = step;
    // A mirror keeps no events, and a step without events has no time.
    const at = step.at ?? 0;
    assertWritable(writes);
    this.fifo.apply(step);
    if (chain !== null) this.blocks.apply(chain);
    for (const write of writes) this.rows.write(write, at);
    for (const event of events) this.events.push(event, at);
    this.#trimLog();
    if (operation !== null) this.operations.add(operation);
    if (record) this.#put(record, at);
  }

  /** A record makes no event, but no later call has an earlier time (E5). */
  #put(record: RecordStep, at: number): void {
    this.records.apply(record);
    this.events.lastAt = Math.max(this.events.lastAt, at);
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
    const { rows, log } = this;
    for (const list of [pending.after(0), held.until(all, all), inflight.after(0)])
      for (const slot of list)
        yield { kind: 'write', write: { after: rows.state(slot), point: rows.point(slot), body: rows.body(slot) } };
    for (let number = log.oldest; number <= log.last; number++) {
      const { point, at } = log.ending(number);
      const body = log.past(number) === null ? rows.body(log.slot(number)) : null;
      yield { kind: 'write', write: { after: rows.ended(number), point, body }, at };
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
        this.events.lastAt = record.lastAt;
        if (record.fifo) this.fifo.restore(record.fifo);
        break;
      case 'block':
        this.blocks.add(record.block);
        break;
      case 'write':
        this.rows.stageIndexes.waiting.disorder();
        this.#restoreWrite(record.write, record.at ?? 0);
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

  /** Sets the numbers of a pool that is filled by an import. */
  setNumbers({ tip, floor, lastSeq, lastLogSeq, lastAt, retention }: NumbersPart): void {
    this.retention = retention;
    this.rows.lastSeq = lastSeq;
    if (this.log.length === 0) this.log.last = lastLogSeq;
    Object.assign(this.blocks, { tick: tip.tick, floor });
    this.events.lastAt = lastAt;
  }

  #trimLog(): void {
    const { log, rows } = this;
    while (log.length > this.retention.maxFinalized) {
      const slot = log.shift();
      if (slot !== noSlot) this.#onForget(rows.forget(slot), slot);
    }
  }

  /** A write with a body is a live record or the latest log entry of its hash, so it makes a row. */
  #restoreWrite(write: Write, at: number): void {
    const { after, point, body } = write;
    if (body !== null) this.rows.write(write, at);
    else this.rows.writePast(after, point, at);
  }
}

/** A record of a pool's state in memory. It is plain data, for a file of any format. */
export type MemoryRecord =
  /** The first record: the pool's numbers. */
  | {
      readonly kind: 'base';
      /** The tick of the tip. */
      readonly tick: number;
      /** The first tick whose block is kept. */
      readonly floor: number;
      readonly lastSeq: number;
      /** Number of the newest log entry that was trimmed. The entries are numbered from the next one. */
      readonly trimmedLog: number;
      /** The time of the last call with events (E5); 0 before the first. */
      readonly lastAt: number;
      /** Number of the newest event that was trimmed. */
      readonly trimmedEvents: number;
      /** Absent in a priority pool, and in a fifo pool that has neither claims nor limits. */
      readonly fifo?: FifoRecord | null;
    }
  | { readonly kind: 'block'; readonly block: KeptBlock }
  /** A live transaction, or the next entry of the log, whose `body` is `null` if its hash has a later state. */
  | {
      readonly kind: 'write';
      readonly write: Write;
      /** When the log entry was written (E5). Absent for a live transaction. */
      readonly at?: number;
    }
  | { readonly kind: 'record'; readonly record: NamedValue }
  /** The version of the last change of any record of the application. */
  | { readonly kind: 'version'; readonly lastVersion: number }
  | { readonly kind: 'event'; readonly event: StoreEvent }
  | { readonly kind: 'operation'; readonly operation: OperationRecord };

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
