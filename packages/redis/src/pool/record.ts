import {
  type ChainPoint,
  isLive,
  knownStages,
  type LifeFacts,
  type LiveStage,
  type LogEntry,
  type TransactionStatus,
} from 'mempool-core';
import * as core from 'mempool-core/backend';
import { decodeScore, type IndexPosition } from './score.ts';

const recordHead = 6;
/** Default of the server's `proto-max-bulk-len`. It closes the connection for a larger argument. */
const maxArgumentBytes = 512 * 1024 * 1024;
/** Where a log entry has its ticks, and the byte before its hash. */
const [tickAt, confirmationsAt, nonConfirmationsAt, hashSizeAt] = [9, 13, 17, 21] as const;
export const endBytes = 14;
const factsBytes = 14;
/** Without the time at the end. */
const keptBytes = 8;
/** In front of facts in 14 bytes. No other entry begins with this byte. */
const entryMark = Buffer.of(0);

type LoggedWrite = Pick<core.Write, 'after' | 'point'>;
type Read<T> = T & { readonly intact: boolean };

/** Packs hashes for the scripts. Each follows a byte with its length. */
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

/**
 * Returns a record of the key `body`: type as u16, CRC-32 as u32, a copy of the payload.
 *
 * @throws `ERR_MEMPOOL_INVALID` for a payload that is too large
 */
export function bodyRecord({ payload, payloadType }: core.Body): Buffer {
  const length = recordHead + payload.length;
  if (length > maxArgumentBytes)
    throw core.invalid('payload', `at most ${maxArgumentBytes - recordHead} bytes on Redis`);
  const record = Buffer.allocUnsafe(length);
  record.writeUInt16BE(payloadType, 0);
  record.writeUInt32BE(core.payloadChecksum(payload), 2);
  record.set(payload, recordHead);
  return record;
}

/** Decodes a record of the key `body`. Copies the payload, so the caller may keep and change it (M1). */
export function decodeRecord(record: Buffer | null): Read<core.Body> {
  if (record === null || record.length < recordHead)
    return { payload: new Uint8Array(), payloadType: 0, intact: false };
  const payload = new Uint8Array(record.subarray(recordHead));
  const intact = core.payloadChecksum(payload) === record.readUInt32BE(2);
  return { payload, payloadType: record.readUInt16BE(0), intact };
}

/** The stage in a score; the seq, tick or logSeq in it; and the counters of a live transaction (L12). `null`: it is damaged. */
interface Place extends IndexPosition {
  readonly counters: ReturnType<typeof core.countersAt>;
}

function place(score: Buffer | number, tick: number): Place | null {
  const found = decodeScore(score);
  if (found === null) return null;
  const { stage, number } = found;
  const none = { confirmations: 0, nonConfirmations: 0, reason: null, facts: core.noFacts };
  const txState = { hash: '', seq: 0, stage, tick: number, ...none };
  return { stage, number, counters: core.countersAt(txState, tick) };
}

export function readPoint(point: Buffer): ChainPoint | null {
  return point.length === 0 ? null : core.decodePoint(point);
}

interface LivePlace extends Place {
  readonly stage: LiveStage;
  /** The point of its block, if it is Confirmed. */
  readonly confirmedAt: ChainPoint | null;
}

/** The place of a live transaction; `null` if its score, or the point of its block, is damaged (M2). */
export function livePlace(score: Buffer, point: Buffer | null, tick: number): LivePlace | null {
  const found = place(score, tick);
  if (found === null || !isLive(found.stage)) return null;
  const pointed = found.stage === 'Confirmed';
  if (pointed && point?.length !== core.pointBytes) return null;
  return { ...found, stage: found.stage, confirmedAt: pointed && point ? core.decodePoint(point) : null };
}

/** A final state, with the stored text of its reason. */
type Ended = Omit<LogEntry, 'payload' | 'payloadType' | 'logSeq' | 'reason'> & {
  readonly tick: number;
  readonly reason: string | null;
};

/** Decodes a log entry of lua/fifo/log.lua; `null` if it is damaged. */
export function decodeEntry(entry: Buffer | null): Ended | null {
  if (entry === null || entry.length === 0) return null;
  const stage = knownStages[entry[0] as number];
  const end = entry.length - endBytes;
  if (end <= hashSizeAt) return null;
  const hashEnd = hashSizeAt + 1 + (entry[hashSizeAt] as number);
  const isFinal = stage === 'Finalized';
  const tick = entry.readUInt32BE(tickAt);
  // A completed transaction has tick 0 and no point (L15).
  const noteBytes = tick === 0 ? 0 : core.pointBytes;
  if (!isFinal && stage !== 'Dropped') return null;
  if (isFinal ? end - hashEnd !== noteBytes : end <= hashEnd) return null;
  return {
    hash: entry.toString('hex', hashSizeAt + 1, hashEnd),
    seq: readU64(entry, 1),
    stage,
    tick,
    confirmations: entry.readUInt32BE(confirmationsAt),
    nonConfirmations: entry.readUInt32BE(nonConfirmationsAt),
    point: isFinal && tick > 0 ? core.decodePoint(entry.subarray(hashEnd, end)) : null,
    reason: isFinal ? null : entry.toString('utf8', hashEnd, end),
    receivedAt: optionalTime(entry.readUIntBE(end, 6)),
    attempts: entry.readUInt16BE(end + 6),
    at: entry.readUIntBE(end + 8, 6),
  };
}

/** Without a big integer, which costs more than the rest of an entry. */
function readU64(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}

/** Decodes the first eight bytes of the facts of lua/pool/facts.lua. */
export function readLifeFacts(bytes: Buffer): LifeFacts {
  return { receivedAt: optionalTime(bytes.readUIntBE(0, 6)), attempts: bytes.readUInt16BE(6) };
}

/** Decodes the facts of lua/pool/facts.lua. Returns `noFacts` for other bytes. */
export function decodeFacts(bytes: Buffer): core.Facts {
  if (bytes.length !== factsBytes) return core.noFacts;
  const receivedAt = optionalTime(bytes.readUIntBE(0, 6));
  return { receivedAt, attempts: bytes.readUInt16BE(6), sentAt: optionalTime(bytes.readUIntBE(8, 6)) };
}

function optionalTime(time: number): number | null {
  return time === 0 ? null : time;
}

/** Encodes facts as lua/pool/facts.lua has them. */
export function encodeFacts({ receivedAt, attempts, sentAt }: core.Facts): Buffer {
  const bytes = Buffer.alloc(factsBytes);
  bytes.writeUIntBE(receivedAt ?? 0, 0, 6);
  bytes.writeUInt16BE(attempts, 6);
  bytes.writeUIntBE(sentAt ?? 0, 8, 6);
  return bytes;
}

/** Returns an entry of a priority pool with its facts in 14 bytes, which the scripts shorten (lua/pool/entry.lua). */
export function markedEntry(facts: core.Facts, entry: Buffer): Buffer {
  return Buffer.concat([entryMark, encodeFacts(facts), entry]);
}

/** Encodes a log entry as lua/fifo/log.lua does, without its last bytes: when it is written. */
export function openLogEntry({ after, point }: LoggedWrite): Buffer {
  const { hash, seq, stage, tick, confirmations, nonConfirmations, facts } = after;
  const name = core.hashToBytes(hash);
  const head = Buffer.alloc(hashSizeAt + 1);
  head[0] = knownStages.indexOf(stage);
  head.writeBigUInt64BE(BigInt(seq), 1);
  head.writeUInt32BE(tick, tickAt);
  head.writeUInt32BE(confirmations, confirmationsAt);
  head.writeUInt32BE(nonConfirmations, nonConfirmationsAt);
  head[hashSizeAt] = name.length;
  const note = stage === 'Finalized' && point !== null ? core.encodePoint(point) : Buffer.from(after.reason ?? '');
  return Buffer.concat([head, name, note, encodeFacts(facts).subarray(0, keptBytes)]);
}

/** Encodes a log entry as lua/fifo/log.lua does. `at` is the time at which it is written. */
export function encodeLogEntry(write: LoggedWrite, at: number): Buffer {
  const end = Buffer.alloc(endBytes - keptBytes);
  end.writeUIntBE(at, 0, 6);
  return Buffer.concat([openLogEntry(write), end]);
}

/** Encodes the seq in CBOR, as `head` of lua/pool/lists.lua does. */
export function seqHead(seq: number): Buffer {
  if (seq < 24) return Buffer.of(seq);
  const size = [1, 2, 4].find((bytes) => seq < 256 ** bytes) ?? 8;
  const head = Buffer.alloc(1 + size, 24 + Math.log2(size));
  if (size === 8) head.writeBigUInt64BE(BigInt(seq), 1);
  else head.writeUIntBE(seq, 1, size);
  return head;
}

/** A log entry of a page; a bare record if it is damaged (M2). */
export type LogRow = LogEntry | core.LoggedRecord;

export function isIntactEntry(row: LogRow): row is LogEntry {
  return 'stage' in row;
}

/** Decodes a log entry in an answer of lua/pool/dump.lua. Without a spread, which costs as much as the rest. */
export function readEntry(logSeq: number, bytes: Buffer | null, record: Buffer | null): LogRow {
  const ended = decodeEntry(bytes);
  const { payload, payloadType, intact } = decodeRecord(record);
  if (ended === null || !intact) return { hash: ended?.hash ?? '', seq: ended?.seq ?? 0, logSeq, payload };
  return {
    hash: ended.hash,
    payload,
    payloadType,
    logSeq,
    seq: ended.seq,
    stage: ended.stage,
    confirmations: ended.confirmations,
    nonConfirmations: ended.nonConfirmations,
    point: ended.point,
    reason: core.optionalReason(ended.reason),
    receivedAt: ended.receivedAt,
    at: ended.at,
    attempts: ended.attempts,
  };
}

/** Decodes a status in an answer of lua/pool/status.lua. */
export function readStatus(
  hash: string,
  tick: number,
  [score, detail, facts]: readonly [Buffer | null, Buffer | null, Buffer],
): TransactionStatus {
  const none = core.statusOf(hash, null, null, tick);
  if (score === null) return none;
  const stage = place(score, tick)?.stage;
  if (stage === undefined || isLive(stage)) {
    const live = livePlace(score, detail, tick);
    if (live === null) return core.unreadableStatus(hash);
    const notBefore = stage === 'Pending' && detail?.length ? Number(detail) : null;
    const { confirmedAt } = live;
    const { receivedAt, attempts } = decodeFacts(facts);
    return { ...none, stage: live.stage, ...live.counters, confirmedAt, notBefore, receivedAt, attempts };
  }
  const entry = decodeEntry(detail);
  if (entry?.hash !== hash) return core.statusOf(hash, core.lostEnd(hash, 0), null, 0);
  const { confirmations, nonConfirmations, point, receivedAt, attempts } = entry;
  const reason = core.optionalReason(entry.reason);
  return { ...none, stage, confirmations, nonConfirmations, confirmedAt: point, reason, receivedAt, attempts };
}
