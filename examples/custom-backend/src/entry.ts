import type { Limits, Ordering, Retention } from 'mempool-core';
import {
  bytesToHash,
  decodeEntry,
  decodeValue,
  encodeEntry,
  encodeValue,
  hashToBytes,
  type Entry as PoolEntry,
  type PoolRecord,
  plainLimits,
  type Step,
  storedLimits,
} from 'mempool-core/backend';

/** The first entry of a journal. A later entry of this kind records limits that an open has named. */
export interface HeadEntry {
  readonly kind: 'pool';
  readonly format: number;
  readonly name: string;
  readonly epoch: string;
  /** For good. */
  readonly ordering: Ordering;
  readonly retention: Retention;
}

/** What one call has written. */
interface StepEntry {
  readonly kind: 'step';
  readonly step: Omit<Step<unknown>, 'outcome'>;
}

/** The journal of a pool: the pool, the state it had when the file was made, and every step since. */
export type Entry = HeadEntry | PoolRecord | StepEntry;

interface Replacements<From, To> {
  entry(from: From): To;
  limits(limits: Partial<Limits>): Partial<Limits>;
}

/** A verdict has numbers of 64 bits, which core's own record of it keeps exactly. */
type Packed = readonly [hash: Uint8Array, seq: number, record: Uint8Array];

export function encodeContent(entry: Entry): Buffer {
  return encodeValue(withEntries(entry, { entry: pack, limits: plainLimits }));
}

/** Decodes an entry. Its payloads are copies; otherwise each would keep the whole file in memory. */
export function decodeContent(content: Uint8Array): Entry {
  return withEntries(decodeValue('entry of the journal', Buffer.from(content)) as Entry, {
    entry: unpack,
    limits: storedLimits,
  });
}

function pack({ hash, seq, ...entry }: PoolEntry): Packed {
  return [hashToBytes(hash), seq, encodeEntry({ hash, seq, ...entry })];
}

function unpack([hash, seq, record]: Packed): PoolEntry {
  return decodeEntry(bytesToHash(hash), seq, record);
}

/** The same with each verdict and each list of limits replaced: both have numbers of 64 bits. */
function withEntries<From, To>(entry: Entry, { entry: replace, limits }: Replacements<From, To>): Entry {
  if (entry.kind === 'limits') return { ...entry, limits: limits(entry.limits) };
  if (entry.kind === 'entry') return { ...entry, entry: replace(entry.entry as From) as PoolEntry };
  if (entry.kind !== 'step' || !entry.step.pool) return entry;
  const { pool } = entry.step;
  const entries = (pool.entries as readonly From[]).map(replace) as readonly PoolEntry[];
  const named = pool.limits && (limits(pool.limits) as Limits);
  return { ...entry, step: { ...entry.step, pool: { ...pool, entries, limits: named } } };
}
