import { createHash } from 'node:crypto';
import type { Mempool, OpenOptions, Ordering } from 'mempool-core';
import { poolState } from 'mempool-core/backend';
import { comparable } from 'mempool-testkit';
import { hashOf, numbers, priced, transaction } from '../numbered.ts';

export const perCall = 20;
const payloadBytes = 5_000;

export function poolOptions(ordering: Ordering): OpenOptions {
  return { ordering, now: () => 1_000 };
}

/** Call `n` to fill a pool. In a priority pool each pays more than the one before it, and some need what came before. */
export function receive(store: Mempool, n: number): Promise<unknown> {
  const mine = numbers(perCall, n * perCall);
  if (store.ordering === 'fifo') return store.receive(mine.map((each) => transaction(each, payloadBytes)));
  const requires = (each: number) => (each % 3 === 1 ? [`t${each - 1}`] : []);
  const verdict = (each: number) => ({ priority: BigInt(each), provides: [`t${each}`], requires: requires(each) });
  return store.receive(mine.map((each) => priced(each, verdict(each), payloadBytes)));
}

/** A digest of all there is to know of the pool, by its file and by what its process has in memory. */
export async function stateOf(store: Mempool): Promise<string> {
  const { lastSeq, ...usage } = await store.usage();
  const state = {
    usage: { lastSeq, ...usage },
    ready: (await store.reap()).map(({ hash }) => hash),
    page: (await store.peekPending({ limit: 1_000 })).transactions.map(({ hash }) => hash),
    next: await store.status([hashOf(lastSeq - 1), hashOf(lastSeq), hashOf(lastSeq + perCall - 1)]),
    dump: store.ordering === 'priority' ? await poolState(store) : null,
  };
  const text = JSON.stringify(comparable(state), (_name, value) => (typeof value === 'bigint' ? String(value) : value));
  return createHash('sha256').update(text).digest('hex');
}
