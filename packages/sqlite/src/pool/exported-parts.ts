import type { ChainPoint, Limits, Transaction } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { damaged, isCount, type Row } from '../file/row.ts';
import { readSql } from '../file/sql-text.ts';
import type { PoolFile } from './pool-file.ts';
import { RecordTable } from './record-table.ts';
import * as records from './records.ts';

/** The reads that depend on the pool's ordering. */
export interface OrderedReads {
  readonly ordering: 'fifo' | 'priority';
  numbers(state: records.PoolState): { readonly limits: Partial<Limits>; readonly lastGossipSeq: number };
  /** The claim on a transaction of a fifo pool. */
  claim(state: records.PoolState, seq: number): core.ClaimRecord | null;
}

/**
 * Yields the parts of the pool in the file, in the order of an export (D3). Nobody may write to the file meanwhile.
 *
 * @throws `ERR_MEMPOOL_CORRUPT` if anything but a Pending transaction is damaged
 */
export function* exportedParts(file: PoolFile, reads: OrderedReads): Generator<core.PoolPart, undefined> {
  if (reads.ordering === 'fifo') file.execute(readSql('fifo/no-entries.sql'));
  file.include(readSql('pool/export-statements.sql'));
  const state = records.decodeState(file.row('pool'));
  const { lastEventSeq, logged, tick } = state;
  const live = state.pending + state.propagated + state.acknowledged + state.confirmed;
  const tip = { tick, point: tipOf(file, tick) };
  yield { kind: 'start', ordering: reads.ordering, tip, live, logged, lastEventSeq };
  yield* livePool(file, reads, state, live);
  yield* endedPool(file, reads);
  yield* blocks(file);
  yield numbersOf(state, tip, reads);
  for (const { tag, tick: at } of file.rows('exportSatisfied')) {
    if (typeof tag !== 'string' || !isCount(at)) throw damaged('satisfied tag');
    yield { kind: 'satisfied', tag, tick: at };
  }
  const table = new RecordTable(file);
  for (const record of table.all()) yield { kind: 'record', record };
  yield { kind: 'finish', lastVersion: table.totals().lastVersion, lastEventSeq };
}

function tipOf(file: PoolFile, tick: number): ChainPoint | null {
  return tick === 0 ? null : records.decodeOptionalPoint(file.row('point', tick)?.point);
}

function* livePool(
  file: PoolFile,
  reads: OrderedReads,
  state: records.PoolState,
  count: number,
): Generator<core.PoolPart, undefined> {
  let found = 0;
  for (const row of file.rows('exportLive')) {
    const part = livePart(file, reads, state, row);
    if (part !== null) yield part;
    found += 1;
  }
  // A row that is missing in `tx` is in none of the parts.
  if (found !== count) throw damaged('sequence of transactions');
}

/** `null` for a damaged Pending transaction. @throws `ERR_MEMPOOL_CORRUPT` for a damaged one in flight */
function livePart(file: PoolFile, reads: OrderedReads, state: records.PoolState, row: Row): core.LivePart | null {
  const { hash, payload, payloadType, state: stored, seq } = records.decodeRecord(row);
  const entry = reads.ordering === 'fifo' ? null : core.storedEntry({ hash, seq }, row.record);
  if (stored === null || entry === undefined) {
    const stage = row.stage === 0 ? 'Pending' : 'Propagated';
    return core.leaveOut({ hash, seq, stage }, (found) => file.reportDamage(found));
  }
  const { txState, point } = stored;
  const claim = txState.stage === 'Propagated' ? reads.claim(state, seq) : null;
  return { kind: 'live', state: txState, point, body: { hash, payload, payloadType }, entry, claim };
}

function* endedPool(file: PoolFile, reads: OrderedReads): Generator<core.PoolPart, undefined> {
  for (const row of file.rows('exportLog')) {
    const { logSeq } = row;
    if (!isCount(logSeq)) throw damaged('log');
    const at = records.timeOf(row);
    if (row.isLast === 1) {
      const read = readRow(row);
      yield { kind: 'ended', logSeq, ...read, entry: entryOf(reads, row, read.state), at };
    } else {
      const { txState, point } = records.intact(records.recordKeyOf(row), records.readStoredState(row));
      yield { kind: 'ended', logSeq, state: txState, point, body: null, entry: null, at };
    }
  }
}

function* blocks(file: PoolFile): Generator<core.PoolPart, undefined> {
  for (const { tick, point } of file.rows('exportBlocks')) {
    const read = records.decodeOptionalPoint(point);
    if (!isCount(tick) || read === null) throw damaged('chain point');
    const sighted = Array.from(file.rows('exportInclusions', tick), records.recordKeyOf).map(({ hash }) => hash);
    yield { kind: 'block', tick, point: read, sighted };
  }
}

function numbersOf(state: records.PoolState, tip: core.StartPart['tip'], reads: OrderedReads): core.PoolPart {
  const { floor, lastSeq, lastLogSeq, lastAt, maxFinalized, maxEvents, maxRollback } = state;
  const retention = { maxFinalized, maxEvents, maxRollback };
  return { kind: 'numbers', tip, floor, lastSeq, lastLogSeq, lastAt, retention, ...reads.numbers(state) };
}

/** @throws `ERR_MEMPOOL_CORRUPT` */
function readRow(row: Row): {
  readonly body: Transaction;
  readonly state: core.TxState;
  readonly point: ChainPoint | null;
} {
  const { hash, payload, payloadType, state, seq } = records.decodeRecord(row);
  const { txState, point } = records.intact({ hash, seq }, state);
  return { body: { hash, payload, payloadType }, state: txState, point };
}

/** @throws `ERR_MEMPOOL_CORRUPT` */
function entryOf({ ordering }: OrderedReads, { record }: Row, { hash, seq }: core.TxState): core.Entry | null {
  if (ordering === 'fifo') return null;
  const entry = core.storedEntry({ hash, seq }, record);
  if (entry === undefined) throw core.corrupt({ hash, seq });
  return entry;
}
