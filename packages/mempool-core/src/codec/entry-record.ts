import type { ClaimRecord, Entry } from '../contract/pool-entry.ts';
import { damaged, decodeValue, encodeValue, isCount, isOptionalCount } from './codec.ts';
import {
  isNames,
  isVerdictRow,
  ownNames,
  readVerdict,
  type VerdictRow,
  verdictLength,
  verdictRow,
} from './verdict-record.ts';

type ClaimRow = readonly [id: string, owner: string, untilMs: number];
/** An entry as one CBOR array, without its hash and seq. */
type EntryRow = [
  ...verdict: VerdictRow,
  bytes: number,
  version: number,
  admittedAt: number,
  admittedHeight: number,
  checkedHeight: number,
  gossipSeq: number,
  notBefore: number | null,
  parkedAt: number | null,
  sources: readonly string[],
  claim: ClaimRow | null,
];
const rowLength = verdictLength + 10;

/** Encodes an entry, without its hash and seq. */
export function encodeEntry(entry: Entry): Buffer {
  const { bytes, verdict, sources, version, admittedAt, admittedHeight, checkedHeight, gossipSeq, claim } = entry;
  const { notBefore = null, parkedAt = null } = entry;
  const times = [admittedAt, admittedHeight, checkedHeight, gossipSeq, notBefore, parkedAt] as const;
  const row: EntryRow = [...verdictRow(verdict), bytes, version, ...times, sources, claim && claimRow(claim)];
  return encodeValue(row);
}

function claimRow({ id, owner, untilMs }: ClaimRecord): ClaimRow {
  return [id, owner, untilMs];
}

/** The inverse of `encodeEntry`. @throws `ERR_MEMPOOL_CORRUPT` if the record is damaged */
export function decodeEntry(hash: string, seq: number, record: Uint8Array): Entry {
  const row = decodeValue('entry', record);
  if (!isEntryRow(row)) throw damaged('entry');
  const verdict = readVerdict(row.slice(0, verdictLength) as unknown as VerdictRow, 'entry');
  const [bytes, version, admittedAt, admittedHeight, checkedHeight, gossipSeq, notBefore, parkedAt, sources, claim] =
    row.slice(verdictLength) as EntryRow extends readonly [...VerdictRow, ...infer Rest] ? Rest : never;
  return {
    ...{ hash, seq, bytes, verdict, sources: ownNames(sources), version },
    ...{ admittedAt, admittedHeight, checkedHeight, gossipSeq },
    claim: claim && { id: claim[0], owner: claim[1], untilMs: claim[2] },
    ...(notBefore !== null && { notBefore }),
    ...(parkedAt !== null && { parkedAt }),
  };
}

function isEntryRow(row: unknown): row is EntryRow {
  if (!Array.isArray(row) || row.length !== rowLength || !isVerdictRow(row)) return false;
  const rest = row.slice(verdictLength);
  const [notBefore, parkedAt, sources, claim] = rest.splice(6);
  return (
    rest.every(isCount) &&
    [notBefore, parkedAt].every(isOptionalCount) &&
    isNames(sources) &&
    (claim === null || isClaim(claim))
  );
}

function isClaim(claim: unknown): boolean {
  if (!Array.isArray(claim) || claim.length !== 3) return false;
  return typeof claim[0] === 'string' && typeof claim[1] === 'string' && isCount(claim[2]);
}
