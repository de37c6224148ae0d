import type { StoredTransaction } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Page, Reply } from '../connection/script.ts';
import { decodeRecord, type LogRow, livePlace, readEntry, readLifeFacts } from './record.ts';

/** A transaction of a page; a bare record if it is damaged (M2). */
export type Row = StoredTransaction | core.ReadRecord;

export function isIntact(row: Row): row is StoredTransaction {
  return 'stage' in row;
}

/** The items of lua/pool/page.lua for each transaction. */
type PageItems = readonly [
  hash: Buffer,
  seq: Buffer,
  score: Buffer | null,
  point: Buffer,
  facts: Buffer,
  Buffer | null,
];
const pageItems = 6;

/** Yields the transactions of an answer of lua/pool/page.lua. */
export function* pageRows([tick, , ...flat]: Page): Generator<Row, undefined> {
  for (let i = 0; i < flat.length; i += pageItems)
    yield readRow(flat.slice(i, i + pageItems) as unknown as PageItems, tick);
}

function readRow([name, digits, score, point, facts, record]: PageItems, tick: number): Row {
  const [hash, seq] = [core.bytesToHash(name), Number(digits)];
  const { intact, payload, payloadType } = decodeRecord(record);
  const place = score === null ? null : livePlace(score, point, tick);
  if (place === null || !intact) return { hash, seq, payload };
  const { stage, counters, confirmedAt } = place;
  const { receivedAt, attempts } = readLifeFacts(facts);
  const { confirmations, nonConfirmations } = counters;
  const life = { receivedAt, attempts, confirmations, nonConfirmations, confirmedAt };
  return { hash, payload, payloadType, seq, stage, notBefore: null, ...life };
}

/** Yields the entries of an answer of lua/pool/dump.lua. */
export function* logRows([, , first, , ...flat]: Reply<'dump'>): Generator<LogRow, undefined> {
  for (let i = 0; i < flat.length; i += 2)
    yield readEntry(first + i / 2, flat[i] as Buffer | null, flat[i + 1] as Buffer | null);
}
