import type { Transaction } from 'mempool-core';
import type { Priced } from '../setup/samples.ts';

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
  /** Writes records that are only read in their order. */
  append(transactions: readonly Transaction[]): Done;
  /** Reads appended records, with their payloads, in their order. */
  page(from: number, count: number): Done;
  /** Opens what `shut` closed and reads one record; absent where nothing outlives the process. */
  reopen?(): Done;
  shut?(): Done;
  /** Frees everything, the stored records included. */
  close(): Done;
}

/** What a pool's reads are held against: the same rows, read as they lie, from a structure that does nothing else. */
export interface BareReads {
  fill(transactions: readonly Transaction[]): Done;
  /** Reads the records of these hashes; absent where no goal asks for it. */
  find?(hashes: readonly string[]): Done;
  /** Reads `count` records with their payloads, in order, behind the first `after`. */
  page(after: number, count: number): Done;
  close(): Done;
}

/** The least that a full priority pool must do: keep one order, and remove from its end. */
export interface BareRanking {
  /** Inserts while there is room. */
  fill(transactions: readonly Priced[]): Done;
  /** Inserts each and removes the worst for each, in one step. */
  admit(newcomers: readonly Priced[]): Done;
  /** Frees everything, the stored records included. */
  close(): Done;
}

/** A bare structure that a backend is held against. */
export interface Limit<T> {
  readonly name: string;
  open(): Promise<T>;
}

/** A hash as it is stored: half as long as its text. */
export function hashBytes(hash: string): Buffer {
  return Buffer.from(hash, 'hex');
}
