import { crc32 } from 'node:zlib';
import {
  bytesToHash,
  type ChainPoint,
  corrupt,
  decodePoint,
  type FinalStage,
  isLive,
  type KnownStage,
  knownStages,
  type Life,
  MempoolError,
  type ReadRecord,
  type Retention,
} from 'mempool-core';

/** The pool's row: limits and counters. */
export interface PoolRow extends Retention {
  readonly epoch: string;
  tick: number;
  /** The first tick whose point is kept. */
  floor: number;
  pending: number;
  propagated: number;
  acknowledged: number;
  confirmed: number;
  logged: number;
  lastSeq: number;
  lastLogSeq: number;
  lastEventSeq: number;
}

/** A live row with its payload, before it is trusted. */
export interface StoredRecord extends ReadRecord {
  readonly stage: KnownStage | null;
  readonly tick: number;
  readonly payloadType: number;
  readonly intact: boolean;
}

/** A log entry without its payload. */
export interface LogRecord extends Omit<Life, 'tick'> {
  readonly stage: FinalStage;
  readonly logSeq: number;
  readonly point: ChainPoint | null;
}

type Row = Readonly<Record<string, unknown>>;

/**
 * CRC-32 of the hash and the payload: it tells a damaged payload, a damaged hash, and a payload of another transaction.
 */
export function recordChecksum(hash: Uint8Array, payload: Uint8Array): number {
  return crc32(payload, crc32(hash));
}

/** @throws `ERR_MEMPOOL_CORRUPT` */
export function decodePool(row: unknown): PoolRow {
  if (!isRow(row)) throw damaged('pool row');
  const { epoch, ...numbers } = row;
  if (typeof epoch !== 'string' || !Object.values(numbers).every(isCount)) throw damaged('pool row');
  return row as unknown as PoolRow;
}

/** @throws `ERR_MEMPOOL_CORRUPT` with the hash and seq */
export function decodeLife(row: unknown): Life {
  if (!isRow(row)) throw damaged('row');
  const { seq, hash, stage, tick, confirmations, nonConfirmations, reason } = row;
  const known = stageOf(stage);
  if (known === null || !isCount(tick) || !isHash(hash)) throw corruptRow(row);
  const place = { hash: bytesToHash(hash), seq: Number(seq), stage: known, tick };
  if (isLive(known)) return { ...place, confirmations: 0, nonConfirmations: 0, reason: null };
  if (!isCount(confirmations) || !isCount(nonConfirmations) || !isReason(reason, known)) throw corruptRow(row);
  return { ...place, confirmations, nonConfirmations, reason };
}

/** Never throws: pages end before a record that is not intact. */
export function decodeRecord(row: unknown): StoredRecord {
  if (!isRow(row)) throw damaged('row');
  const { seq, stage, tick, type, checksum, payload } = row;
  const hash = isHash(row['hash']) ? row['hash'] : Buffer.alloc(0);
  const bytes = payload instanceof Uint8Array ? payload : null;
  const known = stageOf(stage);
  return {
    hash: bytesToHash(hash),
    seq: Number(seq),
    stage: known,
    tick: Number(tick),
    payload: bytes ?? new Uint8Array(),
    payloadType: Number(type),
    intact:
      known !== null &&
      isCount(tick) &&
      isPayloadType(type) &&
      bytes !== null &&
      checksum === recordChecksum(hash, bytes),
  };
}

/** @throws `ERR_MEMPOOL_CORRUPT` with the hash, the seq and the logSeq */
export function decodeLog(row: unknown): LogRecord {
  if (!isRow(row)) throw damaged('log');
  const { logSeq, seq, hash, stage, confirmations, nonConfirmations, point, reason } = row;
  const known = stageOf(stage);
  const shaped = isCount(seq) && isHash(hash) && isCount(confirmations) && isCount(nonConfirmations);
  if (known === null || isLive(known) || !shaped || !isReason(reason, known)) throw corruptRow(row);
  const place = { hash: bytesToHash(hash), seq, logSeq: Number(logSeq), stage: known };
  return { ...place, confirmations, nonConfirmations, point: decodeOptionalPoint(point), reason };
}

export function decodeOptionalPoint(bytes: unknown): ChainPoint | null {
  if (bytes === null) return null;
  if (!(bytes instanceof Uint8Array)) throw damaged('chain point');
  return decodePoint(bytes);
}

export function damaged(what: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_CORRUPT', `the stored ${what} is damaged`);
}

function corruptRow({ hash, seq, logSeq }: Row): MempoolError {
  const place = { hash: isHash(hash) ? bytesToHash(hash) : '', seq: Number(seq) };
  return corrupt(isCount(logSeq) ? { ...place, logSeq } : place);
}

function isRow(row: unknown): row is Row {
  return typeof row === 'object' && row !== null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isPayloadType(value: unknown): boolean {
  return isCount(value) && value <= 0xffff;
}

function isHash(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array && value.length >= 1 && value.length <= 64;
}

function isReason(value: unknown, stage: KnownStage): value is string | null {
  return stage === 'Dropped' ? typeof value === 'string' : value === null;
}

function stageOf(code: unknown): KnownStage | null {
  return typeof code === 'number' ? (knownStages[code] ?? null) : null;
}
