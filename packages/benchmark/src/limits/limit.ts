import type { Transaction } from 'mempool-core';

/** A promise is awaited; any other value means that the call is done. */
type Done = unknown;

/** The bare structure below a backend, without the contract's rules: the least that a workload can cost. */
export interface Bare {
  /** Writes new records in one step. */
  insert(transactions: readonly Transaction[]): Done;
  /** Writes the records that are there before anything is measured; default: `insert`. */
  fill?(transactions: readonly Transaction[]): Done;
  /** Changes one field of each record in one step. */
  update(hashes: readonly string[]): Done;
  /** Reads that field of each record. */
  look(hashes: readonly string[]): Done;
  /** Reads the payload of each record. */
  read(hashes: readonly string[]): Done;
  remove(hashes: readonly string[]): Done;
  /** Opens what `shut` closed and reads one record; absent where nothing outlives the process. */
  reopen?(): Done;
  shut?(): Done;
  /** Frees everything, the stored records included. */
  close(): Done;
}

/** A bare structure that a backend is held against. */
export interface Limit {
  readonly name: string;
  open(): Promise<Bare>;
}

/** A hash as it is stored: half as long as its text. */
export function hashBytes(hash: string): Buffer {
  return Buffer.from(hash, 'hex');
}
