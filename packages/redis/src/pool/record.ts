import {
  type ChainPoint,
  isLive,
  knownStages,
  type LiveStage,
  type LogEntry,
  MempoolError,
  type StoredTransaction,
  type TransactionStatus,
} from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Row } from '../connection/script.ts';
import type { SelfWriting } from '../connection/script-call.ts';
import { decodeScore } from './score.ts';

const recordHead = 6;
/** Default of the server's `proto-max-bulk-len`. It closes the connection for a larger argument. */
const maxArgumentBytes = 512 * 1024 * 1024;
const entryHead = 34;

type Read<T> = T & { readonly intact: boolean };

/** Packs hashes for the scripts: each after a byte with its length. */
export function packHashes(hashes: readonly string[]): Buffer {
  const packed = Buffer.allocUnsafe(hashes.reduce((length, hash) => length + 1 + hash.length / 2, 0));
  let at = 0;
  for (const hash of hashes) {
    packed[at] = hash.length / 2;
    at += 1 + packed.write(hash, at + 1, 'hex');
  }
  return packed;
}

export function unpackHashes(packed: Buffer): string[] {
  const hashes: string[] = [];
  for (let at = 0, end = 0; at < packed.length; at = end) {
    end = at + 1 + (packed[at] as number);
    hashes.push(packed.toString('hex', at + 1, end));
  }
  return hashes;
}

/** A record of the key `body`: type as u16, CRC-32 as u32, payload. @throws `ERR_MEMPOOL_INVALID` for a payload that is too large */
export class BodyRecord implements SelfWriting {
  readonly length: number;
  readonly #body: core.Body;

  constructor(body: core.Body) {
    this.#body = body;
    this.length = recordHead + body.payload.length;
    if (this.length > maxArgumentBytes)
      throw core.invalid('payload', `at most ${maxArgumentBytes - recordHead} bytes on Redis`);
  }

  writeTo(bytes: Buffer, at: number): void {
    const { payload, payloadType } = this.#body;
    const sum = core.payloadChecksum(payload);
    bytes[at] = payloadType >>> 8;
    bytes[at + 1] = payloadType;
    bytes[at + 2] = sum >>> 24;
    bytes[at + 3] = sum >>> 16;
    bytes[at + 4] = sum >>> 8;
    bytes[at + 5] = sum;
    bytes.set(payload, at + recordHead);
  }
}

/** Decodes a record of the key `body`. Copies the payload: the caller may keep and change it (M1). */
export function decodeRecord(record: Buffer | null): Read<core.Body> {
  if (record === null || record.length < recordHead)
    return { payload: new Uint8Array(), payloadType: 0, intact: false };
  const payload = new Uint8Array(record.subarray(recordHead));
  const intact = core.payloadChecksum(payload) === record.readUInt32BE(2);
  return { payload, payloadType: record.readUInt16BE(0), intact };
}

/** The stage in a score; the seq, tick or logSeq in it; and the counters of a live transaction (L12). */
function place(score: Buffer, tick: number) {
  const found = decodeScore(score);
  if (found === null) throw new MempoolError('ERR_MEMPOOL_CORRUPT', `${score} is no place in the index`);
  const { stage, number } = found;
  const txState = { hash: '', seq: 0, stage, tick: number, confirmations: 0, nonConfirmations: 0, reason: null };
  return { stage, number, counters: core.countersAt(txState, tick) };
}

export function readPoint(point: Buffer): ChainPoint | null {
  return point.length === 0 ? null : core.decodePoint(point);
}

/** A transaction in an answer of lua/pool/page.lua. */
export function readTransaction(row: Row, tick: number): Read<StoredTransaction> {
  const [hash, seq, score, point, record] = row;
  const { stage, counters } = place(score, tick);
  const identity = { hash: core.bytesToHash(hash), seq: Number(seq), stage: stage as LiveStage };
  return { ...identity, ...decodeRecord(record), ...counters, confirmedAt: readPoint(point), notBefore: null };
}

/** A final state, with the stored text of its reason. */
type Ended = Omit<LogEntry, 'payload' | 'payloadType' | 'logSeq' | 'reason'> & {
  readonly tick: number;
  readonly reason: string | null;
};

/** Decodes a log entry of lua/fifo/log.lua; `null` if it is damaged. */
export function decodeEntry(entry: Buffer | null): Ended | null {
  if (entry === null || entry.length < entryHead) return null;
  const stage = knownStages[entry[0] as number];
  const [hash, note] = [entry.subarray(entryHead), entry.subarray(entryHead + (entry[33] as number))];
  const numbers = [1, 9, 17, 25].map((at) => Number(entry.readBigUInt64BE(at))) as Four;
  const [seq, tick, confirmations, nonConfirmations] = numbers;
  const told = { hash: core.bytesToHash(hash.subarray(0, entry[33])), seq, tick, confirmations, nonConfirmations };
  if (stage === 'Finalized' && note.length === core.pointBytes)
    return { ...told, stage, point: core.decodePoint(note), reason: null };
  return stage === 'Dropped' && note.length > 0 ? { ...told, stage, point: null, reason: note.toString() } : null;
}
type Four = [number, number, number, number];

/** A log entry in an answer of lua/pool/dump.lua. */
export function readEntry(logSeq: number, bytes: Buffer | null, record: Buffer | null): Read<LogEntry> {
  const lost = {
    hash: '',
    seq: 0,
    tick: 0,
    stage: 'Dropped',
    confirmations: 0,
    nonConfirmations: 0,
    point: null,
    reason: null,
  };
  const entry = decodeEntry(bytes);
  const payload = decodeRecord(record);
  const { tick: _, ...told } = entry ?? lost;
  const read = {
    logSeq,
    ...told,
    ...payload,
    reason: core.optionalReason(told.reason),
    intact: entry !== null && payload.intact,
  };
  return read as Read<LogEntry>;
}

/** A status in an answer of lua/pool/status.lua. */
export function readStatus(
  hash: string,
  tick: number,
  [score, detail]: readonly [Buffer | null, Buffer | null],
): TransactionStatus {
  const none = { hash, confirmations: 0, nonConfirmations: 0, confirmedAt: null, reason: null, notBefore: null };
  if (score === null) return { ...none, stage: 'Unknown' };
  const { stage, counters } = place(score, tick);
  if (stage === 'Pending') return { ...none, stage, notBefore: detail?.length ? Number(detail) : null };
  if (isLive(stage)) return { ...none, stage, ...counters, confirmedAt: detail && readPoint(detail) };
  const entry = decodeEntry(detail);
  if (entry?.hash !== hash) return core.statusOf(hash, core.lostEnd(hash, 0), null, 0);
  const { confirmations, nonConfirmations, point } = entry;
  const reason = core.optionalReason(entry.reason);
  return { ...none, stage, confirmations, nonConfirmations, confirmedAt: point, reason };
}
