import type { WriteContext } from '../contract/call-options.ts';
import type { CheckedSubmission, ReceiveCall } from '../contract/pool-driver.ts';
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
import {
  areRareFields,
  isVerdictRow,
  type RareFields,
  rareFieldsOf,
  rareVerdictLength,
  readVerdict,
  type VerdictRow,
  verdictLength,
  verdictRow,
} from './verdict-record.ts';

type SubmissionRow = readonly [
  hash: Uint8Array,
  payloadType: number,
  payload: Uint8Array,
  from: string | null,
  verdict: VerdictRow,
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
const [rowLength, submissionLength] = [6, 6];

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
  return [hashToBytes(hash), payloadType, payload, from, verdictRow(verdict), rareFieldsOf(verdict)];
}

function readSubmission([hash, payloadType, payload, from, plain, rare]: SubmissionRow): CheckedSubmission {
  const verdict = readVerdict(plain, rare, 'call');
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
  const [hash, payloadType, payload, from, verdict, rare] = row;
  return (
    [hash, payload].every(isBytes) &&
    isCount(payloadType) &&
    (from === null || typeof from === 'string') &&
    Array.isArray(verdict) &&
    verdict.length === verdictLength &&
    isVerdictRow(verdict) &&
    (rare === null || (Array.isArray(rare) && rare.length === rareVerdictLength && areRareFields(rare)))
  );
}
