// One of many nodes that write to a full priority pool, in a process of its own. It writes for some time, and counts its calls.
import { type AnyStore, isMempoolError, type OpenOptions } from 'mempool-core';
import { anyStore } from 'mempool-core/backend';
import { pricedTransactions } from '../setup/samples.ts';
import { loadSubject } from '../setup/subject.ts';
import { serveCrew } from './crew.ts';

const [path, pool] = process.argv.slice(2) as [string, string];
const subject = await loadSubject(path);
let store: AnyStore | null = null;

/** The calls of one process in some time. */
export interface Wrote {
  readonly answered: number;
  /** Rejected with `ERR_MEMPOOL_UNAVAILABLE`. */
  readonly unavailable: number;
}

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
  async write(size: number, ms: number): Promise<Wrote> {
    if (store === null) throw new Error('the pool is not open');
    let [answered, unavailable] = [0, 0];
    for (const until = performance.now() + ms; performance.now() < until; )
      try {
        // A call that others overtook for long may be below all that the pool has by now.
        await store.receive(newest(size));
        answered++;
      } catch (error) {
        if (!isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE')) throw error;
        unavailable++;
      }
    return { answered, unavailable };
  },
};

export type WriterVerbs = typeof verbs;
serveCrew(verbs);
