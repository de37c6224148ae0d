import type { Transaction } from 'mempool-core';

/** A promise is waited for; anything else means that it is done. */
export type Done = unknown;

/** The bare structure below a backend, with none of the contract's rules: what a workload costs at the very least. */
export interface Bare {
  /** Writes new records in one step. */
  insert(transactions: readonly Transaction[]): Done;
  /** Writes what is there before anything is measured, with what the other verbs ask for; left out where `insert` does so. */
  fill?(transactions: readonly Transaction[]): Done;
  /** Changes one field of each record in one step. */
  update(hashes: readonly string[]): Done;
  /** Reads that field of each record. */
  look(hashes: readonly string[]): Done;
  /** Reads the payload of each record. */
  read(hashes: readonly string[]): Done;
  remove(hashes: readonly string[]): Done;
  /** Writes records that are read in their order only. */
  append(transactions: readonly Transaction[]): Done;
  /** Reads appended records, payload included, in their order. */
  page(from: number, count: number): Done;
  /** Opens what `shut` closed and reads one record; left out where nothing outlives it. */
  reopen?(): Done;
  shut?(): Done;
  /** Frees everything, what is stored included. */
  close(): Done;
}

/** One that a backend is held against. */
export interface Limit {
  readonly name: string;
  /** What it holds outlives it, so it can be opened again. */
  readonly survives: boolean;
  open(): Promise<Bare>;
}
