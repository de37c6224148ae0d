import { MempoolError } from '../contract/errors.ts';
import type { ReceiveOutcome } from '../contract/store.ts';
import { bytesToHash, damaged, decodeValue, encodeValue, hashToBytes, isBytes, isCount } from './codec.ts';

type Duplicate = Extract<ReceiveOutcome, { readonly kind: 'duplicate' }>['stage'];

/** The code of a duplicate is the index of its stage in this list. The codes 5 to 7 follow. Never reorder. */
const duplicateStages = [
  'Pending',
  'Propagated',
  'Acknowledged',
  'Confirmed',
  'Finalized',
] as const satisfies Duplicate[];
const [receivedPending, receivedConfirmed, full] = [5, 6, 7] as const;

/** Concatenated hashes, each after one byte with its length. */
type PackedHashes = Uint8Array;
type CompactRow = [verb: string, hashes: PackedHashes, codes?: Uint8Array, firstSeq?: number];

/**
 * Encodes the outcome of a call with its verb and the digest of its arguments, for the record under an operation id (X2).
 * The format is compact, because a pool keeps thousands of these. Lists of hashes are packed, and a list of `receive`
 * outcomes takes one more byte for each transaction.
 */
export function encodeOutcome(verb: string, outcome: unknown, digest?: Uint8Array): Buffer {
  const row = compactRow(verb, outcome) ?? [verb, plainNumbers(verb === 'take' ? storedClaim(outcome) : outcome)];
  return encodeValue(digest === undefined ? row : [digest, ...row]);
}

/** The record of a claim, without its transactions: a repeated call reads those from the pool. */
function storedClaim(claim: unknown): unknown {
  const { transactions: _, ...rest } = claim as { readonly transactions?: unknown };
  return rest;
}

/**
 * The inverse of `encodeOutcome`. If the record or the call has no digest, the arguments are not compared.
 *
 * @throws `ERR_MEMPOOL_INVALID` if the operation id was used for another verb or other arguments; `ERR_MEMPOOL_CORRUPT`
 * if the record is damaged
 */
export function decodeOutcome<T>(verb: string, bytes: Uint8Array, digest?: Uint8Array): T {
  const whole = decodeValue('recorded outcome', bytes);
  if (!Array.isArray(whole)) throw damaged('recorded outcome');
  const [first] = whole;
  const row = isBytes(first) ? whole.slice(1) : whole;
  if (row.length < 2 || row.length > 4) throw damaged('recorded outcome');
  if (row[0] !== verb) throw operationReused();
  const outcome = isBytes(row[1]) ? unpack(row as CompactRow) : bigNumbers(row[1]);
  if (isBytes(first) && digest !== undefined && Buffer.compare(first, digest) !== 0)
    throw operationReused(hashesOf(verb, outcome));
  return outcome as T;
}

/** The hashes of the first call, if it was a `receive` or `revise`. */
function hashesOf(verb: string, outcome: unknown): string[] | undefined {
  if (verb !== 'receive' && verb !== 'revise') return undefined;
  const isNamed = (each: unknown): each is { readonly hash: string } =>
    typeof each === 'object' && each !== null && 'hash' in each;
  return Array.isArray(outcome) && outcome.every(isNamed) ? outcome.map(({ hash }) => hash) : undefined;
}

/** Replaces each bigint by an object with its text, because the decoder reads a small CBOR bigint as a number. */
function plainNumbers(outcome: unknown): unknown {
  return mapped(outcome, (value) => (typeof value === 'bigint' ? { int: String(value) } : null));
}

function bigNumbers(outcome: unknown): unknown {
  return mapped(outcome, (value) => {
    const text = typeof value === 'object' && value !== null && 'int' in value ? value.int : null;
    return typeof text === 'string' ? BigInt(text) : null;
  });
}

/** A deep copy. Each part for which `replace` returns a value other than `null` is replaced by that value. */
function mapped(value: unknown, replace: (value: unknown) => unknown): unknown {
  const other = replace(value);
  if (other !== null) return other;
  if (Array.isArray(value)) return value.map((each) => mapped(each, replace));
  if (typeof value !== 'object' || value === null || isBytes(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapped(each, replace)]));
}

/**
 * Returns the error for an operation id that was used for another verb or with other arguments (X2). `hashes` are those of
 * the first call, if it was a `receive` or `revise`.
 */
export function operationReused(hashes?: readonly string[]): MempoolError {
  const message = 'operationId must be new for every call: this one was used for another verb or other arguments';
  return new MempoolError('ERR_MEMPOOL_INVALID', message, {
    field: 'operationId',
    ...(hashes === undefined ? {} : { hashes }),
  });
}

function compactRow(verb: string, outcome: unknown): CompactRow | null {
  if (!Array.isArray(outcome)) return null;
  if (verb === 'revise') return null;
  if (verb !== 'receive') return outcome.every(isHash) ? [verb, packHashes(outcome)] : null;
  const outcomes = outcome as readonly ReceiveOutcome[];
  if (!outcomes.every(isPlain)) return null;
  const seqs = outcomes.flatMap((one) => (one.kind === 'received' ? [one.seq] : []));
  const [firstSeq = 0] = seqs;
  // Only a list of seqs without gaps can be packed. Any other list is stored unpacked.
  if (seqs.some((seq, i) => seq !== firstSeq + i)) return null;
  return [
    verb,
    packHashes(outcomes.map(({ hash }) => hash)),
    Uint8Array.from(outcomes as readonly PlainOutcome[], codeOf),
    firstSeq,
  ];
}

/** True for a hash, false for an outcome: a list of outcomes is stored unpacked. */
function isHash(each: unknown): each is string {
  return typeof each === 'string';
}

type PlainOutcome = Extract<ReceiveOutcome, { readonly kind: 'received' | 'duplicate' | 'full' }>;

/** True if the outcome has no fields that its one-byte code cannot express. */
function isPlain(outcome: ReceiveOutcome): outcome is PlainOutcome {
  const { kind } = outcome;
  if (kind === 'duplicate') return true;
  return (kind === 'received' && !outcome.parked) || (kind === 'full' && !('floor' in outcome));
}

function codeOf(outcome: PlainOutcome): number {
  switch (outcome.kind) {
    case 'received':
      return outcome.stage === 'Pending' ? receivedPending : receivedConfirmed;
    case 'duplicate':
      return duplicateStages.indexOf(outcome.stage);
    case 'full':
      return full;
  }
}

function packHashes(hashes: readonly string[]): PackedHashes {
  return Buffer.concat(hashes.map((hash) => Buffer.concat([Buffer.of(hash.length / 2), hashToBytes(hash)])));
}

function unpackHashes(packed: PackedHashes): string[] {
  const hashes: string[] = [];
  for (let at = 0; at < packed.length; ) {
    const end = at + 1 + (packed[at] as number);
    if (end > packed.length || end === at + 1) throw damaged('recorded outcome');
    hashes.push(bytesToHash(packed.subarray(at + 1, end)));
    at = end;
  }
  return hashes;
}

function unpack([, packed, codes, firstSeq]: CompactRow): string[] | ReceiveOutcome[] {
  const hashes = unpackHashes(packed);
  if (codes === undefined) return hashes;
  if (!isBytes(codes) || codes.length !== hashes.length || !isCount(firstSeq)) throw damaged('recorded outcome');
  let seq = firstSeq;
  return hashes.map((hash, i): ReceiveOutcome => {
    const code = codes[i] as number;
    const stage = duplicateStages[code];
    if (stage !== undefined) return { kind: 'duplicate', hash, stage };
    if (code === full) return { kind: 'full', hash };
    if (code > full) throw damaged('recorded outcome');
    return { kind: 'received', hash, seq: seq++, stage: code === receivedPending ? 'Pending' : 'Confirmed' };
  });
}
