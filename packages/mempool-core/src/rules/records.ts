import { payloadChecksum } from '../codec/codec.ts';
import { MempoolError } from '../contract/errors.ts';
import { maxPageBytes } from '../contract/page-rules.ts';
import type { RecordStep } from '../contract/pool-entry.ts';
import {
  type CheckedPut,
  type CheckedRecordQuery,
  maxPoolRecordBytes,
  type NamedValue,
  type PoolValue,
  type PutOutcome,
  type RecordPage,
} from '../contract/records.ts';
import type { Step } from './step.ts';

/** The numbers of a pool's records. */
export interface RecordTotals {
  /** The version of the last change; 0 before the first. A deletion also uses a version, so none is used twice (K1). */
  readonly lastVersion: number;
  /** Total bytes of all names and values. */
  readonly bytes: number;
}

/** The record that a `putRecord` replaces. `bytes` is the size of its name and value. */
export interface FormerRecord {
  /** The version; `null` if the record is damaged. */
  readonly version: number | null;
  readonly bytes: number;
}

/** Returns the bytes of a record that count towards the pool's 64 MiB (K3). */
export function recordBytes(name: string, value: Uint8Array): number {
  return Buffer.byteLength(name) + value.length;
}

/** Returns the error for a damaged record of the application, `ERR_MEMPOOL_CORRUPT` (K4). */
export function damagedRecord(name: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_CORRUPT', `the record ${name} is damaged`, { name });
}

/**
 * Returns the step of `putRecord` (K1, K3). `at` is the time of the call by `eventTime`. Each `stored` has a record to write, even if
 * there was nothing to delete: the pool keeps the time (E5).
 *
 * @throws `ERR_MEMPOOL_CORRUPT` if a version is given and the record is damaged
 */
export function putStep(
  { name, value, version }: CheckedPut,
  { lastVersion, bytes }: RecordTotals,
  former: FormerRecord | null,
  at: number,
): Step<PutOutcome> {
  if (version !== null && former?.version === null) throw damagedRecord(name);
  const found = former?.version ?? 0;
  if (version !== null && version !== found) return recordStep({ kind: 'conflict', version: found });
  if (value === null && former === null)
    return recordStep({ kind: 'stored', version: 0, at }, { name, value, version: lastVersion, bytes });
  const next = lastVersion + 1;
  const before = former?.bytes ?? 0;
  const after = value === null ? 0 : recordBytes(name, value);
  const total = bytes - before + after;
  if (after > before && total > maxPoolRecordBytes) return recordStep({ kind: 'full' });
  const outcome = { kind: 'stored', version: value === null ? 0 : next, at } as const;
  return recordStep(outcome, { name, value, version: next, bytes: total });
}

function recordStep(outcome: PutOutcome, record: RecordStep | null = null): Step<PutOutcome> {
  return { outcome, writes: [], events: [], chain: null, operation: null, at: null, record };
}

/** Returns the bytes by which a step makes the pool's records grow; 0 if it does not (M3). */
export function recordGrowth(
  { record }: Pick<Step<unknown>, 'record'>,
  { bytes }: Pick<RecordTotals, 'bytes'>,
): number {
  return record ? Math.max(0, record.bytes - bytes) : 0;
}

/** Returns the checksum of a record's name, version and value (K4). */
export function recordChecksum(name: Uint8Array, version: number, value: Uint8Array): number {
  const sum = payloadChecksum(value, payloadChecksum(name));
  return (sum ^ version ^ Math.floor(version / 2 ** 32)) >>> 0;
}

/** A record that was read. If it is not intact, only its name is valid. */
export interface FoundRecord extends NamedValue {
  readonly isIntact: boolean;
}

/**
 * Returns the page of `listRecords` that begins with these records, which are at most `limit` (K4, O6).
 *
 * @throws `ERR_MEMPOOL_CORRUPT` naming a damaged record among them
 */
export function recordPage(found: Iterable<FoundRecord>, { after }: Pick<CheckedRecordQuery, 'after'>): RecordPage {
  const records: NamedValue[] = [];
  let [bytes, next] = [0, after];
  for (const { isIntact, name, version, value } of found) {
    if (!isIntact) throw damagedRecord(name);
    bytes += value.length;
    if (bytes > maxPageBytes && records.length > 0) break;
    next = name;
    records.push({ name, version, value });
  }
  return { records, next };
}

/** Compares two texts by their UTF-8 bytes (K4). A UTF-16 comparison would sort surrogate pairs too low. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = weight(a.charCodeAt(i)) - weight(b.charCodeAt(i));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

const firstSurrogate = 0xd800;
const behindSurrogates = 0xe000;

function weight(unit: number): number {
  return unit >= firstSurrogate && unit < behindSurrogates ? unit + 0x10000 : unit;
}

/** Returns a copy of the record for a caller (M1). */
export function copyValue({ version, value }: PoolValue): PoolValue {
  return { version, value: Uint8Array.from(value) };
}
