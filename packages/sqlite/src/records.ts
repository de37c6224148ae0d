import { crc32 } from 'node:zlib';
import * as core from 'mempool-core';
import type { Row } from './pool-file.ts';

/** What the pool is: its counters and limits. `floor` is the first tick whose point is kept. */
export type PoolState = Readonly<core.Usage & core.Retention & { epoch: string; tick: number; floor: number }>;

/** A row with its payload. `life` is `null` where any of it is damaged. */
export interface StoredRecord extends core.ReadRecord, core.Body {
  readonly life: core.Life | null;
  readonly point: core.ChainPoint | null;
}

/** Of the hash and the payload: tells a damaged one of either, and a payload that is another transaction's. */
export function checksumOf(hash: Uint8Array, payload: Uint8Array): number {
  return crc32(payload, crc32(hash));
}

/** @throws `ERR_MEMPOOL_CORRUPT` */
export function decodeState(row: Row | undefined): PoolState {
  const { epoch, ...counts } = row ?? {};
  if (typeof epoch !== 'string' || !Object.values(counts).every(isCount)) throw damaged('state of the pool');
  return row as unknown as PoolState;
}

/** @throws `ERR_MEMPOOL_CORRUPT` with the hash and seq */
export function decodeLife(row: Row): core.Life {
  const life = readLife(row);
  if (life === null) throw core.corrupt(placeOf(row));
  return life;
}

/** Never throws, so that a page can end before a damaged record. */
export function decodeRecord(row: Row): StoredRecord {
  const { hash, type, checksum, payload, point } = row;
  const bytes = payload instanceof Uint8Array ? payload : new Uint8Array();
  const record = { ...placeOf(row), payload: bytes, payloadType: Number(type) };
  const life = readLife(row);
  const pointed = life?.stage === 'Confirmed' || life?.stage === 'Finalized' ? isBytes(point, 40, 40) : point === null;
  const intact = pointed && isCount(type) && isBytes(hash, 1, 64) && checksum === checksumOf(hash, bytes);
  return intact ? { ...record, life, point: decodeOptionalPoint(point) } : { ...record, life: null, point: null };
}

/** @throws `ERR_MEMPOOL_CORRUPT` with the hash and seq */
export function lifeOf(record: StoredRecord): core.Life {
  if (record.life === null) throw core.corrupt(record);
  return record.life;
}

/** @throws `ERR_MEMPOOL_CORRUPT` */
export function decodeOptionalPoint(bytes: unknown): core.ChainPoint | null {
  if (bytes === null || bytes === undefined) return null;
  if (!(bytes instanceof Uint8Array)) throw damaged('chain point');
  return core.decodePoint(bytes);
}

/** @throws `ERR_MEMPOOL_CORRUPT` */
export function decodeEventRow({ lastSeq, count, events }: Row): core.StoreEvent[] {
  const unpacked = events instanceof Uint8Array ? core.decodeEvents(events, Number(lastSeq)) : [];
  if (unpacked.length !== count) throw damaged('events');
  return unpacked;
}

function damaged(what: string): core.MempoolError {
  return new core.MempoolError('ERR_MEMPOOL_CORRUPT', `the stored ${what} is damaged`);
}

function readLife({ seq, hash, stage, tick, confirmations, nonConfirmations, reason }: Row): core.Life | null {
  const known = core.knownStages[stage as number];
  if (known === undefined || !isCount(seq) || !isCount(tick) || !isBytes(hash, 1, 64)) return null;
  const life = { hash: core.bytesToHash(hash), seq, stage: known, tick };
  if (core.isLive(known)) return { ...life, confirmations: 0, nonConfirmations: 0, reason: null };
  if (!isCount(confirmations) || !isCount(nonConfirmations)) return null;
  if (known === 'Dropped')
    return typeof reason === 'string' ? { ...life, confirmations, nonConfirmations, reason } : null;
  return reason === null ? { ...life, confirmations, nonConfirmations, reason } : null;
}

function placeOf({ hash, seq, logSeq }: Row): Omit<core.ReadRecord, 'payload'> {
  const place = { hash: isBytes(hash, 1, 64) ? core.bytesToHash(hash) : '', seq: Number(seq) };
  return isCount(logSeq) ? { ...place, logSeq } : place;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isBytes(value: unknown, min: number, max: number): value is Uint8Array {
  return value instanceof Uint8Array && value.length >= min && value.length <= max;
}
