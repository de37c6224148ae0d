import { decodeValue, encodeValue, type LedgerRecord, type Retention, type Step } from 'mempool-core';

/** The first entry of a journal; a later one tells of limits that an open has named. */
export interface PoolEntry {
  readonly kind: 'pool';
  readonly format: number;
  readonly name: string;
  readonly epoch: string;
  readonly retention: Retention;
}

/** What one call has written. */
interface StepEntry {
  readonly kind: 'step';
  readonly step: Omit<Step<unknown>, 'outcome'>;
}

/** The journal of a pool: the pool, the state it had when the file was made, and every step since. */
export type Entry = PoolEntry | LedgerRecord | StepEntry;

export function encodeEntry(entry: Entry): Buffer {
  return encodeValue(entry);
}

/** Payloads stay where they were decoded: in a copy, or every one of them would hold the whole file. */
export function decodeEntry(content: Uint8Array): Entry {
  return decodeValue('entry of the journal', Buffer.from(content)) as Entry;
}
