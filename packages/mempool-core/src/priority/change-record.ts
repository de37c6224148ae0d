import {
  bytesToHash,
  damaged,
  decodePoint,
  decodeValue,
  encodePoint,
  encodeValue,
  hashToBytes,
  isBytes,
  isCount,
  isOptionalCount,
} from '../codec/codec.ts';
import { decodeEntry, encodeEntry } from '../codec/entry-record.ts';
import { plainLimits, wholeLimits } from '../codec/limits-text.ts';
import type { TxState } from '../contract/lifecycle.ts';
import type { Entry, PoolStep } from '../contract/pool-entry.ts';
import { knownStages } from '../contract/transaction.ts';
import type { ChainStep, Write } from '../rules/step.ts';
import { mirroredBody, type PoolChange } from './priority-pool.ts';

type WriteRow = [
  hash: Uint8Array,
  seq: number,
  stage: number,
  tick: number,
  confirmations: number,
  nonConfirmations: number,
  reason: string | null,
  point: Uint8Array | null,
  isNew: boolean,
  notBefore: number | null,
  receivedAt: number | null,
  attempts: number,
  sentAt: number | null,
];
type AppliedRow = [
  tick: number,
  floor: number,
  point: Uint8Array,
  seen: readonly Uint8Array[],
  unseen: readonly Uint8Array[],
];
type UndoneRow = [tick: number];
type ChangeRow = [
  writes: readonly WriteRow[],
  chain: AppliedRow | UndoneRow | null,
  entries: readonly (readonly [hash: Uint8Array, seq: number, record: Uint8Array])[],
  satisfied: PoolStep['satisfied'],
  forgotten: readonly string[],
  limits: Readonly<Record<string, unknown>> | null,
  lastGossipSeq: number,
  lastEventSeq: number,
  at: number | null,
];

const changeLength = 9;

/**
 * Encodes the change for other nodes as one CBOR array. `records` are its entries as `encodeEntry` returns them, if the
 * caller has them already.
 */
export function encodeChange(
  { writes, chain, pool, lastEventSeq, at }: PoolChange,
  records: readonly Uint8Array[] = pool.entries.map(encodeEntry),
): Buffer {
  const { entries, satisfied, forgotten, limits, lastGossipSeq } = pool;
  const entryRows = entries.map(({ hash, seq }, i) => [hashToBytes(hash), seq, records[i] as Uint8Array] as const);
  const named = limits && plainLimits(limits);
  const numbers = [lastGossipSeq, lastEventSeq, at] as const;
  const row: ChangeRow = [
    writes.map(writeRow),
    chain && chainRow(chain),
    entryRows,
    satisfied,
    forgotten,
    named,
    ...numbers,
  ];
  return encodeValue(row);
}

function writeRow({ after, point, body }: Write): WriteRow {
  const { hash, seq, stage, tick, confirmations, nonConfirmations, reason, notBefore = null, facts } = after;
  const { receivedAt, attempts, sentAt } = facts;
  const counters = [knownStages.indexOf(stage), tick, confirmations, nonConfirmations, reason] as const;
  const confirmedAt = point && encodePoint(point);
  return [hashToBytes(hash), seq, ...counters, confirmedAt, body !== null, notBefore, receivedAt, attempts, sentAt];
}

function chainRow(chain: ChainStep): AppliedRow | UndoneRow {
  if (chain.kind === 'undone') return [chain.tick];
  const { tick, floor, point, seen, unseen } = chain;
  return [tick, floor, encodePoint(point), seen.map(hashToBytes), unseen.map(hashToBytes)];
}

/** Decodes a record made by `encodeChange`, with empty payloads. @throws `ERR_MEMPOOL_CORRUPT` if it is damaged */
export function decodeChange(record: Uint8Array): PoolChange {
  const row = decodeValue('change', record);
  if (!isChangeRow(row)) throw damaged('change');
  const [writes, chain, entries, satisfied, forgotten, limits, lastGossipSeq, lastEventSeq, at] = row;
  const pool: PoolStep = {
    entries: entries.map(readEntry),
    satisfied,
    forgotten,
    limits: limits && wholeLimits(limits),
    lastGossipSeq,
  };
  return { writes: writes.map(readWrite), chain: chain && readChain(chain), pool, lastEventSeq, at };
}

function isChangeRow(row: unknown): row is ChangeRow {
  if (!Array.isArray(row) || row.length !== changeLength) return false;
  const [writes, chain, entries, satisfied, forgotten, limits, lastGossipSeq, lastEventSeq, at] = row;
  return (
    [writes, entries, satisfied, forgotten].every(Array.isArray) &&
    (chain === null || Array.isArray(chain)) &&
    typeof limits === 'object' &&
    isCount(lastGossipSeq) &&
    isCount(lastEventSeq) &&
    isOptionalCount(at)
  );
}

function readEntry([hash, seq, record]: ChangeRow[2][number]): Entry {
  if (!isBytes(hash) || !isCount(seq) || !isBytes(record)) throw damaged('change');
  return decodeEntry(bytesToHash(hash), seq, record);
}

function readWrite(row: WriteRow): Write {
  const [hashBytes, seq, code, tick, confirmations, nonConfirmations, reason, point, isNew, ...times] = row;
  const [notBefore, receivedAt, attempts, sentAt] = times;
  const stage = knownStages[code];
  if (stage === undefined || !isBytes(hashBytes) || !isCount(seq) || !isCount(tick)) throw damaged('change');
  if (!isOptionalCount(receivedAt) || !isCount(attempts) || !isOptionalCount(sentAt)) throw damaged('change');
  const hash = bytesToHash(hashBytes);
  const facts = { receivedAt, attempts, sentAt };
  const plain: TxState = { hash, seq, stage, tick, confirmations, nonConfirmations, reason, facts };
  const after = isCount(notBefore) ? { ...plain, notBefore } : plain;
  return { after, point: point && decodePoint(point), body: isNew ? mirroredBody(hash) : null };
}

function readChain(row: AppliedRow | UndoneRow): ChainStep {
  const [tick] = row;
  if (row.length === 1) return { kind: 'undone', tick };
  const [, floor, point, seen, unseen] = row;
  const hashes = (list: readonly Uint8Array[]): string[] => list.map(bytesToHash);
  return { kind: 'applied', tick, floor, point: decodePoint(point), seen: hashes(seen), unseen: hashes(unseen) };
}
