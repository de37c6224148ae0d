import type { AnyStore, Limits, ReceiveOutcome } from 'mempool-core';
import { poolState } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { pools, stores } from './store-operators.ts';

const never = Number.POSITIVE_INFINITY;

/** A pool that closes at another time than it was told, at its opening alone. */
function opening(id: string, change: (acceptUntil: number) => number): Mutant {
  return pools.opened(id, ({ acceptUntil, ...options }) =>
    acceptUntil === undefined ? options : { ...options, acceptUntil: change(acceptUntil) },
  );
}

/** `setLimits` that hears another time. */
function setting(id: string, change: (limits: Partial<Limits>) => Partial<Limits>): Mutant {
  return pools.around(id, {
    setLimits: ({ store, given: [limits, options] }) => store.setLimits(change(limits), options),
  });
}

const isClosed = (outcomes: readonly ReceiveOutcome[]): boolean => outcomes.some(({ kind }) => kind === 'closed');

type Receive = Parameters<AnyStore['receive']>;

/** Takes all that it should have closed after all, where this says so. */
function lets(id: string, isLet: (store: AnyStore, hashes: readonly string[]) => Promise<boolean>): Mutant {
  return pools.around(id, {
    receive: async ({ store, given: [batch, options] }) => {
      const outcomes = await store.receive(batch, options);
      const isShutOut = outcomes.length > 0 && outcomes.every(({ kind }) => kind === 'closed');
      const hashes = outcomes.map(({ hash }) => hash);
      return isShutOut && (await isLet(store, hashes)) ? anyway(store, [batch, {}]) : outcomes;
    },
  });
}

async function anyway(store: AnyStore, given: Receive): Promise<ReceiveOutcome[]> {
  const { acceptUntil } = await store.setLimits({});
  await store.setLimits({ acceptUntil: never });
  const outcomes = await store.receive(...given);
  await store.setLimits({ acceptUntil });
  return outcomes;
}

/** P27. */
export const deadlineMutants: readonly Mutant[] = [
  opening('closes-a-millisecond-late', (acceptUntil) => acceptUntil + 1),
  opening('closes-a-millisecond-early', (acceptUntil) => acceptUntil - 1),
  opening('never-closes', () => never),
  stores.opened('closed-at-opening-taken-and-forgotten', (options) =>
    options.acceptUntil === 0 ? { ...options, acceptUntil: never } : options,
  ),
  setting('closing-is-not-heard', ({ acceptUntil: _, ...limits }) => limits),
  setting('closes-late-if-told-so', (limits) =>
    limits.acceptUntil === undefined ? limits : { ...limits, acceptUntil: limits.acceptUntil + 30 },
  ),
  setting('closed-for-ever', (limits) => {
    const { acceptUntil, ...others } = limits;
    return acceptUntil === never ? others : limits;
  }),
  setting('limits-take-the-closing-away', (limits) =>
    limits.maxTxs === undefined ? limits : { acceptUntil: never, ...limits },
  ),
  pools.told('closes-what-it-has', {
    receive: (outcomes) => isClosed(outcomes) && outcomes.map(({ hash }) => ({ kind: 'closed', hash })),
  }),
  pools.told('closed-is-called-full', {
    receive: async (outcomes, { store }) => {
      const isFull = isClosed(outcomes) && (await store.setLimits({})).maxTxs === 0;
      return isFull && outcomes.map(({ hash }) => ({ kind: 'full', hash }));
    },
  }),
  lets('closed-pools-begin-new-lives', async (store, hashes) => {
    const known = await store.checkStatus(hashes);
    return known.every(({ stage }) => stage === 'Dropped');
  }),
  lets('closed-pools-take-what-blocks-carried', async (store, hashes) => {
    const { content } = await poolState(store);
    const sighted = content.flatMap((part) => (part.kind === 'block' ? part.sighted : []));
    return hashes.every((hash) => sighted.includes(hash));
  }),
  pools.around('closed-is-not-recorded', {
    receive: async ({ store, given: [batch, options], notes: { hashes } }) => {
      const id = options?.operationId;
      const isKnown = id !== undefined && hashes.has(id);
      const outcomes = await store.receive(batch, isKnown ? {} : options);
      if (id !== undefined && isClosed(outcomes)) hashes.add(id);
      return outcomes;
    },
  }),
  pools.unheard('ids-of-limits-mean-nothing', 'setLimits', 'operationId'),
  pools.told('imported-pools-never-close', {
    import: async (_, { store }) => void (await store.setLimits({ acceptUntil: never })),
  }),
  pools.around('only-a-given-clock-closes', {
    receive: ({ store, given, options }) => (options.now ? store.receive(...given) : anyway(store, given)),
  }),
];
