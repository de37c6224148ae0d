// One of several nodes on a large pool, in a process of its own. It reports the waiting time of each of its calls, in milliseconds.
import { setTimeout as pause } from 'node:timers/promises';
import type { AnyStore, OpenOptions, Ordering } from 'mempool-core';
import { anyStore } from 'mempool-core/backend';
import { freshTransactions, pricedTransactions } from '../setup/samples.ts';
import { loadSubject } from '../setup/subject.ts';
import { serveCrew } from './crew.ts';

const [path, pool, ordering] = process.argv.slice(2) as [string, string, Ordering];
const subject = await loadSubject(path);
const fresh = ordering === 'priority' ? pricedTransactions : freshTransactions;
let store: AnyStore | null = null;

async function waited(): Promise<number> {
  if (store === null) throw new Error('the pool is not open');
  const call = fresh(1);
  const start = performance.now();
  await store.receive(call);
  return performance.now() - start;
}

const verbs = {
  async open(options: OpenOptions) {
    store ??= anyStore(await subject.open(pool, options));
    // Loads the mirror of a priority pool.
    await waited();
  },
  write: waited,
  /** Each call begins at a random time within its interval, and waits for no earlier call. */
  writePaced(count: number, everyMs: number) {
    const calls = Array.from({ length: count }, async (_, i) => {
      await pause((i + Math.random()) * everyMs);
      return waited();
    });
    return Promise.all(calls);
  },
};

export type PacedVerbs = typeof verbs;
serveCrew(verbs);
