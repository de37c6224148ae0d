import type { AnyStore, BundleOutcome } from 'mempool-core';
import type { Mutant } from './mutant.ts';
import { arrivals, pools } from './store-operators.ts';

type Given = Parameters<AnyStore['receiveBundle']>;

/** Receives what should be a bundle as transactions that have nothing to do with each other. */
export async function oneByOne(store: AnyStore, [transactions, options]: Given): Promise<BundleOutcome> {
  const outcomes = await store.receive(transactions, options);
  const seqs = outcomes.flatMap((one) => (one.kind === 'received' ? [{ hash: one.hash, seq: one.seq }] : []));
  const refusal = outcomes.find(({ kind }) => kind !== 'received');
  if (refusal !== undefined) return { kind: 'refused', refusal } as BundleOutcome;
  return { kind: 'received', bundle: seqs[0]?.seq ?? 0, transactions: seqs };
}

/** P31. */
export const bundleMutants: readonly Mutant[] = [
  pools.around('bundles-are-received-one-by-one', { receiveBundle: ({ store, given }) => oneByOne(store, given) }),
  pools.given('bundles-priced-by-the-first', {
    receiveBundle: (transactions) =>
      transactions.map((one) => ({
        ...one,
        verdict: { ...one.verdict, priority: transactions[0]?.verdict?.priority ?? 0n },
      })),
  }),
  pools.given('bundles-without-gas', {
    receiveBundle: (transactions) => transactions.map((one) => ({ ...one, verdict: { ...one.verdict, gas: 0 } })),
  }),
  pools.given('bundles-in-the-order-of-their-prices', {
    receiveBundle: (transactions) =>
      transactions.toSorted((a, b) => ((a.verdict?.priority ?? 0n) < (b.verdict?.priority ?? 0n) ? -1 : 1)),
  }),
  pools.around('bundles-cut-to-the-budget', {
    reap: async ({ store, given: [budget = {}] }) => {
      const { maxTxs = Number.POSITIVE_INFINITY, ...others } = budget;
      return (await store.reap(others)).slice(0, maxTxs);
    },
  }),
  pools.each('nameless-bundles', {
    reap: () => ({ bundle: undefined }),
    best: () => ({ bundle: undefined }),
    take: () => ({ bundle: undefined }),
  }),
  pools.each('statuses-without-bundle', { checkStatus: () => ({ bundle: undefined }) }),
  pools.each('pages-without-bundle', { peekInflight: () => ({ bundle: undefined }) }),
  pools.unheard('bundles-not-recorded', 'receiveBundle', 'operationId'),
  pools.around('parted-bundles-are-over-limits', {
    sweep: async ({ store, given: [options] }) => {
      const swept = await store.sweep(options);
      const [worst] = (await store.peekParked()).transactions;
      if (swept.expired.length === 0 || options?.overLimits !== true || worst === undefined) return swept;
      return { ...swept, evicted: [...swept.evicted, ...(await store.drop([worst.hash], 'evicted'))] };
    },
  }),
  pools.around('descendants-of-bundles-stay', {
    drop: async ({ store, given: [hashes, reason, options] }) => {
      const isOfBundle = (await store.checkStatus(hashes)).some(({ bundle }) => bundle !== undefined);
      return store.drop(hashes, reason, isOfBundle ? { ...options, descendants: undefined } : options);
    },
  }),
  pools.told('a-sender-of-a-thousand-has-more', { dropBySender: ({ dropped }) => ({ more: dropped.length >= 1_000 }) }),
  pools.told('closed-to-bundles-is-called-full', {
    receiveBundle: (told) =>
      told.kind === 'refused' && told.refusal.kind === 'closed' && { refusal: { ...told.refusal, kind: 'full' } },
  }),
  pools.caught('bad-bundles-are-refused', ['receiveBundle'], 'ERR_MEMPOOL_INVALID', () => ({ kind: 'refused' })),
  arrivals.caught('arrivals-come-in-bundles', ['receiveBundle'], 'ERR_MEMPOOL_UNSUPPORTED', () => ({
    kind: 'refused',
  })),
];
