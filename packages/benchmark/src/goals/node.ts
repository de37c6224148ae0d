// One of several nodes on a pool, in a process of its own. It writes as it is told, and reports how long its calls waited, or how many
// it made.
import { setTimeout as pause } from 'node:timers/promises';
import { type AnyMempool, isMempoolError, type OpenOptions, type Ordering } from 'mempool-core';
import { anyMempool } from 'mempool-core/backend';
import { freshTransactions, pricedTransactions } from '../setup/samples.ts';
import { loadSubject } from '../setup/subject.ts';
import { serveCrew } from './crew.ts';

const [path, pool, ordering] = process.argv.slice(2) as [string, string, Ordering];
const subject = await loadSubject(path);
const fresh = ordering === 'priority' ? pricedTransactions : freshTransactions;
let store: AnyMempool | null = null;

/** The calls of one process in some time. */
export interface Wrote {
  readonly answered: number;
  /** Rejected with `ERR_MEMPOOL_UNAVAILABLE`. */
  readonly unavailable: number;
}

function opened(): AnyMempool {
  if (store === null) throw new Error('the pool is not open');
  return store;
}

/** Milliseconds that a call waits for its answer. */
async function waited(): Promise<number> {
  const call = fresh(1);
  const start = performance.now();
  await opened().receive(call);
  return performance.now() - start;
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
    store ??= anyMempool(await subject.open(pool, options));
    // Loads the index of a priority pool.
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
  /** Without a pause. A call that others overtook for long may be below all that the pool has by now. */
  async saturate(size: number, ms: number): Promise<Wrote> {
    let [answered, unavailable] = [0, 0];
    for (const until = performance.now() + ms; performance.now() < until; )
      try {
        await opened().receive(newest(size));
        answered++;
      } catch (error) {
        if (!isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE')) throw error;
        unavailable++;
      }
    return { answered, unavailable };
  },
};

export type NodeVerbs = typeof verbs;
serveCrew(verbs);
