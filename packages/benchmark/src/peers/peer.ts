import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Transaction } from 'mempool-core';
import { root } from '../setup/subject.ts';

/** Where a peer runs: the Redis it talks to, if it does, and the prefix of its keys. */
export interface PeerPlace {
  readonly url: string;
  readonly name: string;
}

/** The hashes in each stage of a store, each as often as it is there. */
export interface Census {
  readonly waiting: readonly string[];
  readonly inflight: readonly string[];
  readonly done: readonly string[];
}

/** An open store of a peer, driven through the life of a transaction in the peer's own terms. */
export interface PeerStore {
  add(transactions: readonly Transaction[]): Promise<unknown>;
  /** Puts as many in flight as are named; a queue chooses by itself. @returns the hashes that the caller holds now */
  take(hashes: readonly string[]): Promise<readonly string[]>;
  /** Ends the life of the taken transactions. */
  confirm(hashes: readonly string[]): Promise<unknown>;
  /** Where the store outlives its connection. */
  census?(): Promise<Census>;
  close(): Promise<unknown>;
}

/** Another project that somebody may use instead of this one, or one way to use this one. */
export interface Peer {
  readonly name: string;
  open(place: PeerPlace): Promise<PeerStore>;
}

/** Outside the packages: `npm ci` installs hundreds of megabytes there. */
const installed: string = join(root, 'packages/benchmark/peers');

/** The path of a file of an installed peer. @throws Error naming the command that installs them */
export function peerFile(path: string): string {
  const file = join(installed, 'node_modules', path);
  if (existsSync(file)) return file;
  throw new Error('the peers are not installed: run `npm ci --ignore-scripts --prefix packages/benchmark/peers`');
}

/** Runs `work` for every item, as many at once as `width`. @returns the answers in the order of the items */
export async function inLanes<T, R>(width: number, items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = [];
  const rest = items.entries();
  const lane = async (): Promise<void> => {
    for (const [i, item] of rest) answers[i] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  return answers;
}
