import { type ChainPoint, isLive, knownStages, type Retention, type StoreEvent } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { damaged, isBytes, isCount, type Row } from '../file/row.ts';

/** The pool's counters and limit. `floor` is the first tick whose point is kept. */
export type PoolState = Readonly<
  Omit<core.DriverUsage, 'oldestInflight'> &
    Retention & {
      tick: number;
      floor: number;
      lastAt: number;
      /** The limit of a fifo pool. The largest safe integer means no limit. */
      capacity: number;
      /** The number of claimed transactions of a fifo pool. */
      leases: number;
      /** 1 while an import into the pool is not complete. */
      importing: number;
    }
>;

export type RecordKey = Omit<core.ReadRecord, 'payload'>;

/** The state of a transaction, and the block that confirmed it. */
export interface StoredState {
  readonly txState: core.TxState;
  readonly point: ChainPoint | null;
}

/** A row with its payload. `state` is `null` if any of it is damaged. */
export interface StoredRecord extends core.ReadRecord, core.Body {
  readonly state: StoredState | null;
  /** When the log entry was written; 0 for other rows. */
  readonly at: number;
}

/** Checksum of hash and payload together, so that it also detects the payload of another transaction. */
export function checksumOf(hash: Uint8Array, payload: Uint8Array): number {
  return core.payloadChecksum(payload, core.payloadChecksum(hash));
}

/** A flipped bit in a column's name changes the name that SQLite reports, but not the column that a statement finds. */
const stateColumns = [
  ...['tick', 'floor', 'pending', 'propagated', 'acknowledged', 'confirmed', 'logged'],
  ...[
    'held',
    'lastSeq',
    'lastLogSeq',
    'lastEventSeq',
    'maxFinalized',
    'maxEvents',
    'maxRollback',
    'lastAt',
    'capacity',
    'leases',
  ],
];

/** Reads the pool's counters and limit. @throws `ERR_MEMPOOL_CORRUPT` if they are damaged; `ERR_MEMPOOL_IN_USE` during an import */
export function decodeState(row: Row | undefined): PoolState {
  const { epoch, ...counts } = row ?? {};
  const isWhole = Object.values(counts).every(isCount) && stateColumns.every((name) => name in counts);
  if (typeof epoch !== 'string' || !isWhole) throw damaged('state of the pool');
  if (row?.importing === 1) throw core.importUnfinished();
  return row as unknown as PoolState;
}

/** Reads a row with its payload. Never throws, so that a page can end before a damaged record. */
export function decodeRecord(row: Row): StoredRecord {
  const { hash } = row;
  return isHash(hash) ? decodeUnder(core.bytesToHash(hash), hash, row) : lostRecord(row, '');
}

/** Returns the payload in a row, and whether it is that of the hash. */
export function readBody(hash: string, row: Row | undefined): core.Body & { readonly isIntact: boolean } {
  const { type, checksum, payload } = row ?? {};
  const bytes = payload instanceof Uint8Array ? payload : new Uint8Array();
  const isIntact = isCount(type) && checksum === checksumOf(core.hashToBytes(hash), bytes);
  return { payload: bytes, payloadType: Number(type), isIntact };
}

/** Does the same as `decodeRecord`, for a known hash, which the row need not have. */
export function decodeUnder(hash: string, bytes: Uint8Array, row: Row): StoredRecord {
  const { seq, logSeq, type, checksum, payload } = row;
  if (!isCount(type) || !(payload instanceof Uint8Array) || checksum !== checksumOf(bytes, payload))
    return lostRecord(row, hash);
  const record = { hash, seq: Number(seq), payload, payloadType: type, state: stateUnder(hash, row), at: timeOf(row) };
  return isCount(logSeq) ? { ...record, logSeq } : record;
}

/** A record whose hash, type or payload is damaged. */
function lostRecord(row: Row, hash: string): StoredRecord {
  const { seq, type, payload } = row;
  const bytes = payload instanceof Uint8Array ? payload : new Uint8Array();
  const key = isCount(row.logSeq) ? { hash, seq: Number(seq), logSeq: row.logSeq } : { hash, seq: Number(seq) };
  return { ...key, payload: bytes, payloadType: Number(type), state: null, at: timeOf(row) };
}

/** Returns when the log entry in a row was written; 0 for other rows. */
export function timeOf({ at }: Row): number {
  return isCount(at) ? at : 0;
}

/** The state in a row; `null` if any of it is damaged. */
export function readStoredState(row: Row): StoredState | null {
  const { hash } = row;
  return isHash(hash) ? stateUnder(core.bytesToHash(hash), row) : null;
}

function stateUnder(hash: string, row: Row): StoredState | null {
  const { point } = row;
  const txState = lifeUnder(hash, row);
  if (txState === null) return null;
  const intact = core.isInBlock(txState) ? isBytes(point, core.pointBytes, core.pointBytes) : point === null;
  return intact ? { txState, point: decodeOptionalPoint(point) } : null;
}

/** A stored point; `null` if there is none. @throws `ERR_MEMPOOL_CORRUPT` if it is damaged */
export function decodeOptionalPoint(bytes: unknown): ChainPoint | null {
  if (bytes === null || bytes === undefined) return null;
  if (!(bytes instanceof Uint8Array)) throw damaged('chain point');
  return core.decodePoint(bytes);
}

/** The events in a row; `null` if any of them is damaged. */
export function readEventRow({ lastSeq, count, events, at }: Row): StoreEvent[] | null {
  try {
    const unpacked = events instanceof Uint8Array ? core.decodeEvents(events, Number(lastSeq), Number(at)) : [];
    return unpacked.length === count ? unpacked : null;
  } catch {
    return null;
  }
}

/** Returns the record that was read. @throws `ERR_MEMPOOL_CORRUPT` with the key of the record, if it is `null` */
export function intact<T>(place: RecordKey, read: T | null): T {
  if (read === null) throw core.corrupt(place);
  return read;
}

/** The state of a transaction in a row; `null` if any of it is damaged. */
export function readLife(row: Row): core.TxState | null {
  const { hash } = row;
  return isHash(hash) ? lifeUnder(core.bytesToHash(hash), row) : null;
}

/** Makes one object and copies none: a page has a thousand of them. */
function lifeUnder(hash: string, row: Row): core.TxState | null {
  const { seq, stage: code, tick, confirmations, nonConfirmations, reason, notBefore } = row;
  const stage = knownStages[code as number];
  const facts = readFacts(row);
  if (stage === undefined || !isCount(seq) || !isCount(tick) || facts === null) return null;
  if (isLive(stage)) {
    const life = { hash, seq, stage, tick, facts, confirmations: 0, nonConfirmations: 0, reason: null };
    return isCount(notBefore) ? { ...life, notBefore } : life;
  }
  if (!isCount(confirmations) || !isCount(nonConfirmations)) return null;
  if (stage === 'Dropped')
    return typeof reason === 'string'
      ? { hash, seq, stage, tick, facts, confirmations, nonConfirmations, reason }
      : null;
  return reason === null ? { hash, seq, stage, tick, facts, confirmations, nonConfirmations, reason } : null;
}

/** Returns the facts in a row (O8, L14). If the statement did not select them, they are empty. */
export function readFacts({ receivedAt = null, attempts = 0, sentAt = null }: Row): core.Facts | null {
  if (!isOptionalCount(receivedAt) || !isCount(attempts) || !isOptionalCount(sentAt)) return null;
  return { receivedAt, attempts, sentAt };
}

function isOptionalCount(value: unknown): value is number | null {
  return value === null || isCount(value);
}

function isHash(value: unknown): value is Uint8Array {
  return isBytes(value, 1, 64);
}

/** The key of a row: hash, seq and logSeq, as far as they can be read. */
export function recordKeyOf({ hash, seq, logSeq }: Row): RecordKey {
  const place = { hash: isHash(hash) ? core.bytesToHash(hash) : '', seq: Number(seq) };
  return isCount(logSeq) ? { ...place, logSeq } : place;
}
