import type { Load, PoolDump } from 'mempool-core';
import type { PoolIndex, PriorityPool } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { free } from './planted-driver.ts';
import { priority } from './priority-pool.ts';
import { pools } from './stores.ts';

function loaded(id: string, change: (load: Load, pool: PriorityPool) => Partial<Load>): Mutant {
  return priority.told(id, { usage: ({ load }, { pool }) => load && { load: { ...load, ...change(load, pool) } } });
}

/** What a list of the dump has, by its keys. */
const listsOf = {
  providers: ({ providers }: PoolIndex) => Array.from(providers.entries(), ([tag]) => [tag, []]),
  dependents: ({ dependents }: PoolIndex) => Array.from(dependents.entries(), ([tag]) => [tag, []]),
  leases: ({ leases }: PoolIndex) => Array.from(leases.entries(), ([id]) => [id, []]),
  senders: ({ totals }: PoolIndex) => Array.from(totals.senders, ([sender]) => [sender, 0]),
  satisfied: ({ satisfied }: PoolIndex) => [...satisfied.entries()],
};

/** What is once in a list of the dump stays there. */
function staying(id: string, list: keyof typeof listsOf): Mutant {
  return priority.plant(id, (driver, { index }) => {
    const seen = new Map<string, unknown>();
    const noting =
      <Given extends readonly unknown[], Told>(call: (...given: Given) => Told | Promise<Told>) =>
      async (...given: Given): Promise<Told> => {
        const told = await call(...given);
        for (const [key, value] of listsOf[list](index)) seen.set(key as string, value);
        return told;
      };
    return {
      admit: noting(driver.admit),
      take: noting(driver.take),
      confirm: noting(driver.confirm),
      dumpPool: async (context) => {
        const dump = await driver.dumpPool(context);
        const kept = new Map<string, unknown>([...seen, ...dump[list]]);
        return { ...dump, [list]: [...kept].sort(([a], [b]) => (a < b ? -1 : 1)) } as PoolDump;
      },
    };
  });
}

/** P13. */
export const drainMutants: readonly Mutant[] = [
  // Counts up and down in doubles.
  priority.around('gas-in-doubles', {
    admit: async ({ whole, given, notes }) => {
      const outcomes = await whole.admit(...given);
      for (const { verdict } of given[0]) notes.count += verdict.gas;
      return outcomes;
    },
    drop: async ({ whole, index, given, notes }) => {
      const gone = given[0].map((hash) => index.node(hash)?.entry.verdict.gas ?? 0);
      const dropped = await whole.drop(...given);
      for (const each of gone) notes.count -= each;
      return dropped;
    },
    usage: async ({ whole, given, notes }) => {
      const usage = await whole.usage(...given);
      return usage.load === undefined ? usage : { ...usage, load: { ...usage.load, gas: notes.count } };
    },
  }),
  loaded('load-without-what-is-in-flight', (_, { index }) => ({ transactions: index.order.length })),
  loaded('load-with-confirmed-ones', ({ transactions }, { ledger }) => ({
    transactions: transactions + ledger.usage().confirmed,
  })),
  loaded('load-without-gas', () => ({ gas: 0 })),
  loaded('load-of-bytes-with-overhead', ({ bytes, transactions }) => ({ bytes: bytes + transactions })),
  loaded('parked-not-counted', () => ({ parked: 0 })),
  loaded('headroom-without-sign', ({ headroom }) => ({
    headroom: { transactions: Math.max(0, headroom.transactions), bytes: Math.max(0, headroom.bytes) },
  })),
  loaded('headroom-of-a-number-always', ({ headroom }) => ({
    headroom: { ...headroom, transactions: Math.min(Number.MAX_SAFE_INTEGER, headroom.transactions) },
  })),
  priority.around('load-not-told-of-a-rollback', {
    rollback: ({ whole, index: { totals }, given, notes }) => {
      notes.patches.set('before', { transactions: totals.transactions, bytes: totals.bytes });
      return whole.rollback(...given);
    },
    usage: async ({ whole, given, notes }) => {
      const usage = await whole.usage(...given);
      return usage.load ? { ...usage, load: { ...usage.load, ...notes.patches.get('before') } } : usage;
    },
  }),
  staying('drained-pool-leaves-tags', 'providers'),
  staying('drained-pool-leaves-needs', 'dependents'),
  staying('drained-pool-leaves-leases', 'leases'),
  staying('drained-pool-leaves-senders', 'senders'),
  staying('drained-pool-leaves-satisfied-tags', 'satisfied'),
  priority.around('flushes-what-is-in-flight', {
    flush: async ({ whole, index, given }) => {
      const flying = [...index.nodes()].filter(({ stage }) => stage === 'Propagated').map(({ hash }) => hash);
      const count = await whole.flush(...given);
      return count + (await whole.drop(flying, 'flushed', free)).length;
    },
  }),
  priority.around('flushes-a-thousand-at-most', {
    flush: async ({ whole, index, given: [context] }) => {
      const first = Array.from(index.order, ({ hash }) => hash).slice(0, 1_000);
      return (await whole.drop(first, 'flushed', context)).length;
    },
  }),
  priority.around('flush-tells-what-was-ready', {
    flush: async ({ whole, index, given }) => {
      const ready = index.order.length - index.parked.length;
      return Math.min(ready, await whole.flush(...given));
    },
  }),
  pools.around('senders-keep-their-places', {
    receive: async ({ store, given, notes: { numbers } }) => {
      const senders = given[0].flatMap(({ verdict }) => verdict?.sender || []);
      const { maxPerSender } = await store.setLimits({});
      const isOver = maxPerSender === 1 && senders.some((sender) => numbers.has(sender));
      if (isOver) return given[0].map(({ hash }) => ({ kind: 'sender-limit', hash, limit: maxPerSender }));
      for (const sender of senders) numbers.set(sender, 1);
      return store.receive(...given);
    },
  }),
];
