import { Buffer } from 'node:buffer';
import {
  bytesToHash,
  type ChainPoint,
  type Counters,
  countersAt,
  decodePoint,
  type KnownStage,
  knownStages,
  type Life,
  type LogEntry,
  payloadChecksum,
  type ReadRecord,
  type StoredTransaction,
  type Transaction,
} from 'mempool-core';

/** What divides the stage from the number in a score of `idx` (lua/keys.lua). */
const stageUnit = 1e15;
const recordHead = 6;
const entryHead = 34;

/** Hashes as the scripts take them: each behind a byte that tells its length. */
export function packHashes(hashes: readonly string[]): Buffer {
  let length = 0;
  for (const hash of hashes) length += 1 + hash.length / 2;
  const packed = Buffer.allocUnsafe(length);
  let at = 0;
  for (const hash of hashes) {
    packed[at] = hash.length / 2;
    at += 1 + packed.write(hash, at + 1, 'hex');
  }
  return packed;
}

export function unpackHashes(packed: Buffer): string[] {
  const hashes: string[] = [];
  for (let at = 0; at < packed.length; ) {
    const end = at + 1 + (packed[at] as number);
    hashes.push(packed.toString('hex', at + 1, end));
    at = end;
  }
  return hashes;
}

/** A payload as kept in `body`: type as u16, CRC-32 as u32, the bytes. */
export function encodeRecord({ payload, payloadType }: Transaction): Buffer {
  const record = Buffer.allocUnsafe(recordHead + payload.length);
  record.writeUInt16BE(payloadType, 0);
  record.writeUInt32BE(payloadChecksum(payload), 2);
  record.set(payload, recordHead);
  return record;
}

interface Payload {
  readonly payload: Uint8Array;
  readonly payloadType: number;
  readonly intact: boolean;
}

/** The payload is a copy of its own: the caller may keep and change it (M1). */
function decodeRecord(record: Buffer | null): Payload {
  if (record === null || record.length < recordHead)
    return { payload: new Uint8Array(), payloadType: 0, intact: false };
  const payload = new Uint8Array(record.subarray(recordHead));
  return {
    payload,
    payloadType: record.readUInt16BE(0),
    intact: payloadChecksum(payload) === record.readUInt32BE(2),
  };
}

/** A stage and the seq, tick or logSeq that goes with it. */
export interface Place {
  readonly stage: KnownStage;
  readonly number: number;
}

export function placeOf(score: number): Place {
  const stage = knownStages[Math.floor(score / stageUnit)] ?? 'Pending';
  return { stage, number: score % stageUnit };
}

/** The counters of a live transaction at a tick (L12). */
export function liveCounters({ stage, number }: Place, tick: number): Counters {
  const life: Life = { hash: '', seq: 0, stage, tick: number, confirmations: 0, nonConfirmations: 0, reason: null };
  return countersAt(life, tick);
}

export interface ReadTransaction extends StoredTransaction, ReadRecord {
  readonly intact: boolean;
}

/** A row of peek.lua. */
export function readTransaction(
  row: { hash: string; seq: number; score: number; point: Buffer; record: Buffer | null },
  tick: number,
): ReadTransaction {
  const place = placeOf(row.score);
  const confirmedAt = row.point.length === 0 ? null : decodePoint(row.point);
  const { hash, seq } = row;
  const stage = place.stage as StoredTransaction['stage'];
  return { hash, seq, stage, ...decodeRecord(row.record), ...liveCounters(place, tick), confirmedAt };
}

export interface Entry extends Counters {
  readonly hash: string;
  readonly seq: number;
  readonly stage: LogEntry['stage'];
  readonly point: ChainPoint | null;
  readonly reason: string | null;
}

/** A log entry as lua/log.lua writes it; `null` for a damaged one. */
export function decodeEntry(bytes: Buffer | null): Entry | null {
  if (bytes === null || bytes.length < entryHead) return null;
  const stage = knownStages[bytes[0] as number];
  const end = entryHead + (bytes[33] as number);
  if ((stage !== 'Finalized' && stage !== 'Dropped') || bytes.length < end) return null;
  const note = bytes.subarray(end);
  if (stage === 'Finalized' && note.length !== 40) return null;
  return {
    hash: bytesToHash(bytes.subarray(entryHead, end)),
    seq: Number(bytes.readBigUInt64BE(1)),
    stage,
    confirmations: Number(bytes.readBigUInt64BE(17)),
    nonConfirmations: Number(bytes.readBigUInt64BE(25)),
    point: stage === 'Finalized' ? decodePoint(note) : null,
    reason: stage === 'Dropped' ? note.toString() : null,
  };
}

export interface ReadEntry extends LogEntry {
  readonly intact: boolean;
}

/** A row of dump.lua. */
export function readEntry(logSeq: number, entry: Buffer | null, record: Buffer | null): ReadEntry {
  const payload = decodeRecord(record);
  const decoded = decodeEntry(entry);
  if (decoded !== null) return { logSeq, ...decoded, ...payload };
  const lost = { hash: '', seq: 0, stage: 'Dropped', point: null, reason: null } as const;
  return { logSeq, ...lost, confirmations: 0, nonConfirmations: 0, ...payload, intact: false };
}
