import {
  type ChainPoint,
  type KnownStage,
  knownStages,
  MempoolError,
  type Retention,
  type StoreEvent,
} from 'mempool-core';
import {
  bytesToHash,
  decodeEvents,
  decodePoint,
  decodeValue,
  encodeEvents,
  encodePoint,
  encodeValue,
  hashToBytes,
  type StepEvent,
  type TxState,
} from 'mempool-core/backend';

/** The stored data of the pool as a whole. */
export interface PoolState {
  readonly format: number;
  readonly name: string;
  readonly epoch: string;
  readonly retention: Retention;
  readonly tip: ChainPoint | null;
  readonly tick: number;
  /** First tick whose block is kept. */
  readonly floor: number;
  readonly lastSeq: number;
  readonly lastEventSeq: number;
  /** The time of the last call with events; 0 before the first. */
  readonly lastAt: number;
  readonly oldestEventSeq: number;
  readonly lastLogSeq: number;
  readonly oldestLogSeq: number;
  readonly pending: number;
  readonly propagated: number;
  readonly acknowledged: number;
  readonly confirmed: number;
  /** Operation ids recorded so far. */
  readonly operations: number;
  /** Version of the last change of a record, and the bytes of all. */
  readonly lastVersion: number;
  readonly recordBytes: number;
}

/** The stored data of a transaction, without its payload. */
export interface TransactionRecord {
  readonly txState: TxState;
  /** The confirming block of a Confirmed or Finalized one. */
  readonly point: ChainPoint | null;
  readonly payloadType: number;
  readonly checksum: number;
  /** Number of the latest log entry while that is the transaction's stage; 0 while it is live. */
  readonly logSeq: number;
}

export interface LogRecord extends Pick<TransactionRecord, 'txState' | 'point'> {
  /** When it was written (E5). */
  readonly at: number;
}

export function encodeState(state: PoolState): Buffer {
  return encodeValue(state);
}

export function decodeState(bytes: Uint8Array): PoolState {
  const state = decodeValue('state of the pool', bytes) as PoolState | null;
  if (typeof state?.format !== 'number' || typeof state.epoch !== 'string') throw damaged('state of the pool');
  return state;
}

export function encodeTransaction({ txState, point, payloadType, checksum, logSeq }: TransactionRecord): Buffer {
  return encodeValue([...lifeRow(txState, point, null), payloadType, checksum, logSeq]);
}

export function decodeTransaction(hash: string, bytes: Uint8Array): TransactionRecord {
  const what = `record of ${hash}`;
  const row = numbersAround(what, bytes, 9);
  const [payloadType, checksum, logSeq] = row.slice(6) as [number, number, number];
  return { txState: stateOf(what, hash, row), point: pointOf(row[5]), payloadType, checksum, logSeq };
}

/** Encodes a log entry, written at `at`. It keeps the state that its transaction had then, also if the transaction changes later. */
export function encodeLogEntry(txState: TxState, point: ChainPoint | null, at: number): Buffer {
  return encodeValue([...lifeRow(txState, point, at), hashToBytes(txState.hash)]);
}

export function decodeLogEntry(bytes: Uint8Array): LogRecord {
  const row = numbersAround('log entry', bytes, 7);
  const hash = row[6];
  if (!(hash instanceof Uint8Array)) throw damaged('log entry');
  const [, , , counters] = row;
  const at = Array.isArray(counters) ? counters[5] : null;
  if (typeof at !== 'number') throw damaged('log entry');
  return { txState: stateOf('log entry', bytesToHash(hash), row), point: pointOf(row[5]), at };
}

/** Encodes the events of a call, after their time in eight bytes (E5). */
export function encodeEventRecord(events: readonly StepEvent[], at: number): Buffer {
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(at));
  return Buffer.concat([time, encodeEvents(events)]);
}

/** Decodes the events of a call. */
export function decodeEventRecord(bytes: Buffer, lastSeq: number): StoreEvent[] {
  if (bytes.length < 8) throw damaged('events');
  return decodeEvents(bytes.subarray(8), lastSeq, Number(bytes.readBigUInt64BE()));
}

export function damaged(what: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_CORRUPT', `the stored ${what} is damaged`);
}

/** `at`: when a log entry was written. */
function lifeRow(txState: TxState, point: ChainPoint | null, at: number | null): unknown[] {
  const { seq, stage, tick, confirmations, nonConfirmations, reason, facts } = txState;
  const counters = [confirmations, nonConfirmations, facts.receivedAt, facts.attempts, facts.sentAt, at];
  return [seq, knownStages.indexOf(stage), tick, counters, reason, point && encodePoint(point)];
}

function stateOf(what: string, hash: string, [seq, code, tick, counters, reason]: readonly unknown[]): TxState {
  const stage = knownStages[code as number] as KnownStage | undefined;
  if (stage === undefined || !Array.isArray(counters) || counters.length !== 6) throw damaged(what);
  const [confirmations, nonConfirmations, receivedAt, attempts, sentAt] = counters;
  return {
    hash,
    seq: seq as number,
    stage,
    tick: tick as number,
    confirmations,
    nonConfirmations,
    reason: reason as string | null,
    facts: { receivedAt, attempts, sentAt },
  };
}

function pointOf(bytes: unknown): ChainPoint | null {
  return bytes instanceof Uint8Array ? decodePoint(bytes) : null;
}

/** A row of the right length that begins with seq, stage and tick. */
function numbersAround(what: string, bytes: Uint8Array, length: number): unknown[] {
  const row = decodeValue(what, bytes);
  if (!Array.isArray(row) || row.length !== length) throw damaged(what);
  if (!row.slice(0, 3).every(Number.isSafeInteger)) throw damaged(what);
  return row;
}
