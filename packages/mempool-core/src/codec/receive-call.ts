import type { WriteContext } from '../contract/call-options.ts';
import type { CheckedSubmission, ReceiveCall } from '../contract/pool-driver.ts';
import { maxPriority, minPriority } from '../contract/verdict.ts';
import {
  bytesToHash,
  damaged,
  decodeValue,
  encodeValue,
  hashToBytes,
  isBytes,
  isCount,
  isOptionalCount,
} from './codec.ts';
import { areRareFields, type RareFields, rareFieldsOf, withRareFields } from './verdict-record.ts';

/** The priority is a string, as in an entry's record. */
type SubmissionRow = readonly [
  hash: Uint8Array,
  payloadType: number,
  payload: Uint8Array,
  from: string | null,
  priority: string,
  sender: string,
  senderLimit: number | null,
  gas: number,
  provides: readonly string[],
  requires: readonly string[],
  expiresAt: number | null,
  expiresAtHeight: number | null,
  propagate: boolean,
  rare: RareFields | null,
];
/** A threshold is `null` if it is never reached. */
type CallRow = readonly [
  submissions: readonly SubmissionRow[],
  now: number | null,
  height: number | null,
  finalizeThreshold: number | null,
  dropThreshold: number | null,
  digest: Uint8Array | null,
];
const [rowLength, submissionLength] = [6, 14];

/** Encodes a call for another node, as one CBOR array. */
export function encodeReceiveCall(
  { submissions, moment, thresholds }: ReceiveCall,
  { digest }: Pick<WriteContext, 'digest'>,
): Buffer {
  const row: CallRow = [
    submissions.map(submissionRow),
    moment.now,
    moment.height,
    finite(thresholds.finalizeThreshold),
    finite(thresholds.dropThreshold),
    digest ?? null,
  ];
  return encodeValue(row);
}

/** The inverse of `encodeReceiveCall`. @throws `ERR_MEMPOOL_CORRUPT` if it is no such record */
export function decodeReceiveCall(record: Uint8Array): ReceiveCall & Pick<WriteContext, 'digest'> {
  const row = decodeValue('call', record);
  if (!isCallRow(row)) throw damaged('call');
  const [submissions, now, height, finalizeThreshold, dropThreshold, digest] = row;
  return {
    submissions: submissions.map(readSubmission),
    moment: { now, height },
    thresholds: {
      finalizeThreshold: finalizeThreshold ?? Number.POSITIVE_INFINITY,
      dropThreshold: dropThreshold ?? Number.POSITIVE_INFINITY,
    },
    digest: digest ?? undefined,
  };
}

function finite(threshold: number): number | null {
  return Number.isFinite(threshold) ? threshold : null;
}

function submissionRow({ hash, payloadType, payload, from, verdict }: CheckedSubmission): SubmissionRow {
  const { priority, sender, senderLimit, gas, provides, requires, expiresAt, expiresAtHeight, propagate } = verdict;
  return [
    hashToBytes(hash),
    payloadType,
    payload,
    from,
    String(priority),
    ...([sender, senderLimit, gas, provides, requires, expiresAt, expiresAtHeight, propagate] as const),
    rareFieldsOf(verdict),
  ];
}

function readSubmission(row: SubmissionRow): CheckedSubmission {
  const [hash, payloadType, payload, from, text, sender, senderLimit, gas, provides, requires, ...rest] = row;
  const [expiresAt, expiresAtHeight, propagate, rare] = rest;
  const priority = BigInt(text);
  if (priority < minPriority || priority > maxPriority) throw damaged('call');
  const plain = { priority, sender, senderLimit, gas, provides, requires, expiresAt, expiresAtHeight, propagate };
  const verdict = rare === null ? plain : withRareFields(plain, rare, 'call');
  return { hash: bytesToHash(hash), payloadType, payload, from, verdict };
}

function isCallRow(row: unknown): row is CallRow {
  if (!Array.isArray(row) || row.length !== rowLength) return false;
  const [submissions, now, height, finalizeThreshold, dropThreshold, digest] = row;
  return (
    Array.isArray(submissions) &&
    submissions.every(isSubmissionRow) &&
    [now, height, finalizeThreshold, dropThreshold].every(isOptionalCount) &&
    (digest === null || isBytes(digest))
  );
}

function isSubmissionRow(row: unknown): row is SubmissionRow {
  if (!Array.isArray(row) || row.length !== submissionLength) return false;
  const [hash, payloadType, payload, from, priority, sender, senderLimit, gas, provides, requires, ...rest] = row;
  const [expiresAt, expiresAtHeight, propagate, rare] = rest;
  return (
    [hash, payload].every(isBytes) &&
    [payloadType, gas].every(isCount) &&
    [senderLimit, expiresAt, expiresAtHeight].every(isOptionalCount) &&
    typeof priority === 'string' &&
    /^-?\d{1,19}$/.test(priority) &&
    (from === null || typeof from === 'string') &&
    typeof sender === 'string' &&
    typeof propagate === 'boolean' &&
    (rare === null || (Array.isArray(rare) && rare.length === 3 && areRareFields(rare))) &&
    [provides, requires].every((tags) => Array.isArray(tags) && tags.every((tag) => typeof tag === 'string'))
  );
}
