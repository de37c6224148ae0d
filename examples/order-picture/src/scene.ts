import { createHash } from 'node:crypto';
import type { MempoolStore, Submission } from 'mempool-core';
import { type DumpedEntry, type PoolDump, poolState } from 'mempool-core/backend';
import { ephemeral } from 'mempool-ephemeral';

/** A transaction with its place in the order. */
export interface RankedItem {
  readonly name: string;
  /** Its own priority. */
  readonly pays: number;
  readonly ready: boolean;
  readonly effectivePriority: number;
  readonly tieBreakSeq: number;
  readonly depth: number;
  readonly seq: number;
  /** The Pending transactions that it needs, as indexes into the order. */
  readonly parents: readonly number[];
}

export interface Scene {
  /** Best first. */
  readonly order: readonly RankedItem[];
  readonly reaped: { readonly maxBytes: number; readonly count: number };
  /** The last `count` transactions of the order were evicted when a transaction of this size and priority arrived. */
  readonly evicted: { readonly bytes: number; readonly pays: number; readonly count: number };
}

interface Cast {
  readonly name: string;
  readonly pays: number;
  readonly needs?: readonly string[];
}

const transactionBytes = 100;
const blockBytes = 450;
const newcomer = { name: 'x', pays: 40, bytes: 300 };

/** By arrival. No two places come about in the same way. */
const cast: readonly Cast[] = [
  { name: 'a', pays: 50 },
  { name: 'b', pays: 20, needs: ['a'] },
  { name: 'c', pays: 70, needs: ['b'] },
  { name: 'd', pays: 60 },
  { name: 'e', pays: 60, needs: ['d'] },
  { name: 'f', pays: 90 },
  { name: 'g', pays: 80, needs: ['a', 'd'] },
  { name: 'h', pays: 10 },
  { name: 'p', pays: 95, needs: ['nowhere'] },
  { name: 'q', pays: 99, needs: ['p'] },
];

/** Plays the scene with a real pool. The order is the pool's; nothing here computes it. */
export async function playScene(): Promise<Scene> {
  await using store = await ephemeral.open({ ordering: 'priority', maxBytes: cast.length * transactionBytes });
  await store.receive(cast.map((each) => submission(each, transactionBytes)));
  const dump = await poolState(store);
  const reaped = (await store.reap({ maxBytes: blockBytes })).length;
  const order = dump.order.map((hash) => standing(hash, dump));
  const evicted = await evict(store, dump.order);
  return {
    order,
    reaped: { maxBytes: blockBytes, count: reaped },
    evicted: { bytes: newcomer.bytes, pays: newcomer.pays, count: evicted },
  };
}

/** How many left for the newcomer. @throws Error where they were not the end of the order */
async function evict(store: MempoolStore, order: readonly string[]): Promise<number> {
  await store.receive([submission(newcomer, newcomer.bytes)]);
  const statuses = await store.checkStatus(order);
  const first = statuses.findIndex(({ stage }) => stage === 'Dropped');
  if (!statuses.slice(first).every((each) => each.stage === 'Dropped' && each.reason === 'evicted'))
    throw new Error('what was evicted is not the end of the order');
  return statuses.length - first;
}

function submission({ name, pays, needs = [] }: Cast, bytes: number): Submission {
  const verdict = { priority: BigInt(pays), provides: [name], requires: needs };
  return { hash: hashOf(name), payload: new Uint8Array(bytes), payloadType: 0, verdict };
}

function standing(hash: string, { entries, order }: PoolDump): RankedItem {
  const { priority, provides, requires, place, seq } = entryOf(hash, entries);
  if (place === null) throw new Error('what stands in the order is Pending');
  const parents = order.flatMap((other, i) => {
    const tags = entryOf(other, entries).provides;
    return tags.some((tag) => requires.includes(tag)) ? [i] : [];
  });
  return {
    name: provides.join(),
    pays: Number(priority),
    ...place,
    effectivePriority: Number(place.effectivePriority),
    seq,
    parents,
  };
}

function entryOf(hash: string, entries: readonly DumpedEntry[]): DumpedEntry {
  const found = entries.find((entry) => entry.hash === hash);
  if (found === undefined) throw new Error(`the pool has no ${hash}`);
  return found;
}

function hashOf(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}
