import type { StoreEvent } from '../contract/events.ts';
import type { NamedValue } from '../contract/records.ts';
import type { FifoRecord } from '../rules/fifo-claims.ts';
import type { OperationRecord, Write } from '../rules/step.ts';
import type { KeptBlock } from './kept-blocks.ts';
import type { PoolState } from './pool-state.ts';
import { bodyOf } from './rows.ts';

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

/**
 * Yields the whole state as records for `restore` on a new memory of the same epoch. Read them to the end before the next
 * step.
 */
export function* recordsOf({
  rows,
  fifo,
  blocks,
  events,
  operations,
  records,
}: PoolState): Generator<MemoryRecord, undefined> {
  const { log, lastSeq, stageIndexes } = rows;
  const { tick, floor } = blocks;
  const trimmed = { trimmedLog: log.oldest - 1, trimmedEvents: events.oldest - 1 };
  const claims = fifo.dump();
  yield { kind: 'base', tick, floor, lastSeq, ...trimmed, lastAt: events.lastAt, ...(claims && { fifo: claims }) };
  for (const block of blocks.all()) yield { kind: 'block', block };
  for (const list of [stageIndexes.pending, stageIndexes.held, stageIndexes.inflight])
    for (const row of list) yield { kind: 'write', write: { after: row.txState, point: row.point, body: bodyOf(row) } };
  for (let number = log.oldest; number <= log.last; number++) {
    const { txState, point, at } = log.at(number);
    const row = rows.latest(number);
    yield { kind: 'write', write: { after: txState, point, body: row && bodyOf(row) }, at };
  }
  for (const event of events.copies(events.oldest, events.length)) yield { kind: 'event', event };
  for (const operation of operations.all()) yield { kind: 'operation', operation };
  for (const record of records.all()) yield { kind: 'record', record };
  const { lastVersion } = records.totals;
  if (lastVersion > 0) yield { kind: 'version', lastVersion };
}

/** Restores a record of `recordsOf`, in the same order. From then on the pool owns its bytes. */
export function restoreRecord(
  { rows, fifo, blocks, events, operations, records }: PoolState,
  record: MemoryRecord,
): void {
  switch (record.kind) {
    case 'base':
      Object.assign(blocks, { tick: record.tick, floor: record.floor });
      rows.lastSeq = record.lastSeq;
      rows.log.last = record.trimmedLog;
      Object.assign(events, { last: record.trimmedEvents, lastAt: record.lastAt });
      if (record.fifo) fifo.restore(record.fifo);
      break;
    case 'block':
      blocks.add(record.block);
      break;
    case 'write':
      rows.restore(record.write, record.at ?? 0);
      break;
    case 'event':
      events.add(record.event, record.event.at);
      break;
    case 'operation':
      operations.add(record.operation);
      break;
    case 'record':
      records.restore(record.record);
      break;
    case 'version':
      records.restoreVersion(record.lastVersion);
      break;
  }
}
