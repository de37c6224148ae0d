import type { Transaction } from 'mempool-core';

/** Where a peer runs. */
export interface PeerPlace {
  /** The folder it is installed in. */
  readonly folder: string;
  /** The Redis it talks to; a peer in memory has no use for it. */
  readonly url: string;
  /** The prefix of its keys. */
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
  /** Work of its user before the call, such as signatures: not measured. */
  prepare?(transactions: readonly Transaction[]): Promise<void>;
  add(transactions: readonly Transaction[]): Promise<unknown>;
  /** Puts as many in flight as are named; a queue chooses by itself. @returns the hashes that the caller holds now */
  take(hashes: readonly string[]): Promise<readonly string[]>;
  /** Ends the life of the taken transactions. */
  confirm(hashes: readonly string[]): Promise<unknown>;
  /** Both steps at once, where the peer's fastest way has no two. */
  finish?(hashes: readonly string[]): Promise<unknown>;
  /** Where the store outlives its connection. */
  census?(): Promise<Census>;
  close(): Promise<unknown>;
}

/** Another project that somebody may use instead of this one, or one way to use this one. */
export interface Peer {
  readonly name: string;
  /** The package of npm; `null` for what is part of this project. */
  readonly package: string | null;
  /** Features that it lacks compared with ours, in a few words. */
  readonly lacks: string;
  open(place: PeerPlace): Promise<PeerStore>;
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
