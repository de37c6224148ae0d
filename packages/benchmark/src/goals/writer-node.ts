// One of many nodes that write to a full priority pool, in a process of its own. It writes while it is told to, and reports the time of each call.
import type { AnyStore, OpenOptions } from 'mempool-core';
import { anyStore } from 'mempool-core/backend';
import { pricedTransactions } from '../setup/samples.ts';
import { loadSubject } from '../setup/subject.ts';
import { serveCrew } from './crew.ts';

const [path, pool] = process.argv.slice(2) as [string, string];
const subject = await loadSubject(path);
let store: AnyStore | null = null;

/** A priority that is above those of all earlier calls of any process, by 20 bits: every newcomer evicts the oldest. */
function newest(size: number) {
  return pricedTransactions(size).map((transaction, i) => ({
    ...transaction,
    verdict: { priority: (BigInt(Date.now()) << 20n) + BigInt(i) },
  }));
}

const verbs = {
  async open(options: OpenOptions) {
    store = anyStore(await subject.open(pool, options));
    // Its copy of the pool is there before the time begins.
    await store.reap({ maxTxs: 1 });
  },
  /** @returns the milliseconds of each call */
  async write(size: number, ms: number) {
    if (store === null) throw new Error('the pool is not open');
    const took: number[] = [];
    const start = performance.now();
    for (let now = start; now < start + ms; ) {
      const call = newest(size);
      const begun = performance.now();
      // A call that others overtook for long may be below all that the pool has by now.
      await store.receive(call);
      now = performance.now();
      took.push(now - begun);
    }
    return took;
  },
};

export type WriterVerbs = typeof verbs;
serveCrew(verbs);
