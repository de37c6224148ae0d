import type { ClaimRecord, Entry } from '../contract/pool-entry.ts';
import type { CheckedVerdict } from '../contract/verdict.ts';
import { array, CborWriter, headBytes } from './cbor-writer.ts';
import { damaged, decodeValue, encodeValue, isCount, isOptionalCount } from './codec.ts';
import {
  areRareFields,
  isNames,
  isVerdictRow,
  ownNames,
  type RareFields,
  rareFieldsOf,
  rareVerdictLength,
  readVerdict,
  type VerdictRow,
  verdictLength,
  verdictRow,
} from './verdict-record.ts';

/** An entry as one CBOR array, without its hash and seq. */
type PlainRow = [
  bytes: number,
  ...verdict: VerdictRow,
  sources: readonly string[],
  version: number,
  admittedAt: number,
  admittedHeight: number,
  checkedHeight: number,
  gossipSeq: number,
  claim: ClaimRow | null,
];
type ClaimRow = readonly [id: string, owner: string, untilMs: number];
/**
 * What few transactions have: since when one is held back (P20) and parked (P22), and the fields of its verdict that few
 * have. Trailing `null`s are left out.
 */
type RareRow = [notBefore?: number | null, parkedAt?: number | null, ...verdict: Partial<RareFields>];
type EntryRow = [...PlainRow, ...RareRow];

const rowLength = 17;
/** Where the fields behind the verdict begin. */
const verdictEnd = 1 + verdictLength;
const rareLength = 2 + rareVerdictLength;
const noRareFields: RareFields = [null, null];
/** The most bytes of a row beside its names: heads, numbers, and the digits of the priority. */
const plainRowBytes = rowLength * headBytes + 24;
/** Most entries have no more bytes; a larger one makes the buffer grow. */
const usualBytes = 192;

function entryRow({ bytes, verdict, claim, notBefore, parkedAt, ...entry }: Entry): EntryRow {
  const { sources, version, admittedAt, admittedHeight, checkedHeight, gossipSeq } = entry;
  const row: PlainRow = [
    bytes,
    ...verdictRow(verdict),
    sources,
    version,
    admittedAt,
    admittedHeight,
    checkedHeight,
    gossipSeq,
    claim && claimRow(claim),
  ];
  const rare = rareFieldsOf(verdict);
  if ((notBefore ?? parkedAt) === undefined && rare === null) return row;
  return [...row, ...trimmed([notBefore ?? null, parkedAt ?? null, ...(rare ?? noRareFields)])];
}

function claimRow({ id, owner, untilMs }: ClaimRecord): ClaimRow {
  return [id, owner, untilMs];
}

function trimmed(rare: RareRow): RareRow {
  return rare.slice(0, rare.findLastIndex((value) => value !== null) + 1) as RareRow;
}

/** Encodes an entry, without its hash and seq. */
export function encodeEntry(entry: Entry): Buffer {
  return encodeEntries([entry])[0] as Buffer;
}

/** Encodes entries as `encodeEntry` does, into one buffer. */
export function encodeEntries(entries: readonly Entry[]): Buffer[] {
  const to = new CborWriter(usualBytes * entries.length);
  const ends = entries.map((entry) => {
    if (isPlain(entry)) writePlain(to, entry);
    else writeWhole(to, entry);
    return to.length;
  });
  const { encoded } = to;
  return ends.map((end, i) => encoded.subarray(ends[i - 1] ?? 0, end));
}

function isPlain({ notBefore, parkedAt, verdict }: Entry): boolean {
  return (notBefore ?? parkedAt) === undefined && rareFieldsOf(verdict) === null;
}

function writeWhole(to: CborWriter, entry: Entry): void {
  const encoded = encodeValue(entryRow(entry));
  to.room(encoded.length);
  to.raw(encoded);
}

/** Writes a `PlainRow` as the general encoder does. */
function writePlain(to: CborWriter, entry: Entry): void {
  const { bytes, verdict, sources, claim } = entry;
  const lease = claim && encodeValue(claimRow(claim));
  to.room(plainBytes(verdict, sources) + (lease?.length ?? 1));
  to.head(array, rowLength);
  to.number(bytes);
  to.text(String(verdict.priority));
  to.text(verdict.sender);
  to.optional(verdict.senderLimit);
  to.number(verdict.gas);
  writeNames(to, verdict.provides);
  writeNames(to, verdict.requires);
  to.optional(verdict.expiresAt);
  to.optional(verdict.expiresAtHeight);
  to.flag(verdict.propagate);
  writeNames(to, sources);
  to.number(entry.version);
  to.number(entry.admittedAt);
  to.number(entry.admittedHeight);
  to.number(entry.checkedHeight);
  to.number(entry.gossipSeq);
  if (lease === null) to.nothing();
  else to.raw(lease);
}

/** At least the bytes of a plain row without its claim. */
function plainBytes({ sender, provides, requires }: CheckedVerdict, sources: readonly string[]): number {
  let bytes = plainRowBytes + textBytes(sender);
  for (const names of [provides, requires, sources]) for (const name of names) bytes += textBytes(name);
  return bytes;
}

function textBytes(value: string): number {
  return headBytes + 3 * value.length;
}

function writeNames(to: CborWriter, names: readonly string[]): void {
  to.head(array, names.length);
  for (const name of names) to.text(name);
}

/** The inverse of `encodeEntry`. @throws `ERR_MEMPOOL_CORRUPT` if the record is damaged */
export function decodeEntry(hash: string, seq: number, record: Uint8Array): Entry {
  const row = decodeValue('entry', record);
  if (!isEntryRow(row)) throw damaged('entry');
  const [bytes, , , , , , , , , , sources, version, admittedAt, admittedHeight, checkedHeight, gossipSeq] = row;
  const times = { admittedAt, admittedHeight, checkedHeight, gossipSeq };
  const entry = {
    hash,
    seq,
    bytes,
    verdict: verdictOf(row),
    sources: ownNames(sources),
    version,
    ...times,
    claim: readLease(row),
  };
  if (row.length === rowLength) return entry;
  const [notBefore = null, parkedAt = null] = row.slice(rowLength) as RareRow;
  return {
    ...entry,
    ...(notBefore !== null && { notBefore }),
    ...(parkedAt !== null && { parkedAt }),
  };
}

function verdictOf(row: EntryRow): CheckedVerdict {
  const plain = row.slice(1, verdictEnd) as unknown as VerdictRow;
  if (row.length === rowLength) return readVerdict(plain, null, 'entry');
  const [, , isProtected = null, tip = null] = row.slice(rowLength) as RareRow;
  return readVerdict(plain, [isProtected, tip], 'entry');
}

function readLease(row: EntryRow): ClaimRecord | null {
  const claim = row[16];
  if (claim === null) return null;
  const [id, owner, untilMs] = claim;
  return { id, owner, untilMs };
}

function isEntryRow(row: unknown): row is EntryRow {
  if (!Array.isArray(row) || row.length < rowLength || row.length > rowLength + rareLength) return false;
  const [notBefore = null, parkedAt = null, isProtected = null, tip = null] = row.slice(rowLength);
  const [sources, ...rest] = row.slice(verdictEnd, rowLength);
  const claim = rest.pop();
  return (
    [row[0], ...rest].every(isCount) &&
    isVerdictRow(row.slice(1, verdictEnd)) &&
    [notBefore, parkedAt].every(isOptionalCount) &&
    areRareFields([isProtected, tip]) &&
    isNames(sources) &&
    (claim === null || isLease(claim))
  );
}

function isLease(claim: unknown): boolean {
  if (!Array.isArray(claim) || claim.length !== 3) return false;
  return typeof claim[0] === 'string' && typeof claim[1] === 'string' && isCount(claim[2]);
}
