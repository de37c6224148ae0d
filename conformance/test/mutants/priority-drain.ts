import type { Load, PoolDump } from 'mempool-core';
import type { PriorityPool } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { ranked, rankedStore, ranking } from './priority-pool.ts';

function loaded(id: string, change: (load: Load, pool: PriorityPool) => Partial<Load>): Mutant {
  return ranking(id, (driver, pool) => ({
    usage: async (context) => {
      const usage = await driver.usage(context);
      const { load } = usage;
      return load === undefined ? usage : { ...usage, load: { ...load, ...change(load, pool) } };
    },
  }));
}

/** Counts up and down in doubles. */
function inDoubles(): Mutant {
  return ranking('gas-in-doubles', (driver, { index }) => {
    let gas = 0;
    return {
      admit: async (...given) => {
        const outcomes = await driver.admit(...given);
        for (const { verdict } of given[0]) gas += verdict.gas;
        return outcomes;
      },
      drop: async (hashes, ...rest) => {
        const gone = hashes.map((hash) => index.node(hash)?.entry.verdict.gas ?? 0);
        const dropped = await driver.drop(hashes, ...rest);
        for (const each of gone) gas -= each;
        return dropped;
      },
      usage: async (context) => {
        const usage = await driver.usage(context);
        return usage.load === undefined ? usage : { ...usage, load: { ...usage.load, gas } };
      },
    };
  });
}

/** What is once in a list of the dump stays there. */
function staying(id: string, list: 'providers' | 'dependents' | 'leases' | 'senders' | 'satisfied'): Mutant {
  return ranking(id, (driver, { index }) => {
    const seen = new Map<string, unknown>();
    const note = (): void => {
      const tags = { providers: index.providers, dependents: index.dependents, leases: index.leases };
      if (list === 'senders') for (const [sender] of index.totals.senders) seen.set(sender, 0);
      else if (list === 'satisfied') for (const [tag, tick] of index.satisfied.entries()) seen.set(tag, tick);
      else for (const [tag] of tags[list].entries()) seen.set(tag, []);
    };
    return {
      admit: async (...given) => {
        const outcomes = await driver.admit(...given);
        note();
        return outcomes;
      },
      take: async (...given) => {
        const lot = await driver.take(...given);
        note();
        return lot;
      },
      confirm: async (...given) => {
        const outcome = await driver.confirm(...given);
        note();
        return outcome;
      },
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
  inDoubles(),
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
  ranked('load-not-told-of-a-rollback', {
    answer: (driver, { index }) => {
      let [transactions, bytes] = [0, 0];
      return {
        rollback: (...given) => {
          ({ transactions, bytes } = index.totals);
          return driver.rollback(...given);
        },
        usage: async (context) => {
          const usage = await driver.usage(context);
          const { load } = usage;
          return load === undefined || bytes === 0 ? usage : { ...usage, load: { ...load, transactions, bytes } };
        },
      };
    },
  }),
  staying('drained-pool-leaves-tags', 'providers'),
  staying('drained-pool-leaves-needs', 'dependents'),
  staying('drained-pool-leaves-leases', 'leases'),
  staying('drained-pool-leaves-senders', 'senders'),
  staying('drained-pool-leaves-satisfied-tags', 'satisfied'),
  ranking('flushes-what-is-in-flight', (driver, { index }) => ({
    flush: async (context) => {
      const flying = [...index.nodes()].filter(({ stage }) => stage === 'Propagated').map(({ hash }) => hash);
      const count = await driver.flush(context);
      const more = await driver.drop(flying, 'flushed', { ...context, operationId: undefined });
      return count + more.length;
    },
  })),
  ranking('flushes-a-thousand-at-most', (driver, { index }) => ({
    flush: async (context) => {
      const first = Array.from(index.order, ({ hash }) => hash).slice(0, 1_000);
      return (await driver.drop(first, 'flushed', context)).length;
    },
  })),
  ranking('flush-tells-what-was-ready', (driver, { index }) => ({
    flush: async (context) => {
      const ready = index.order.length - index.parked.length;
      return Math.min(ready, await driver.flush(context));
    },
  })),
  rankedStore('senders-keep-their-places', (store) => {
    const senders = new Map<string, number>();
    return {
      receive: async (batch, options) => {
        const { maxPerSender } = await store.setLimits({});
        const isOver = batch.some(({ verdict }) => (senders.get(verdict?.sender ?? '') ?? 0) >= maxPerSender);
        if (isOver && maxPerSender === 1)
          return batch.map(({ hash }) => ({ kind: 'sender-limit', hash, limit: maxPerSender }));
        for (const { verdict } of batch)
          if (verdict?.sender) senders.set(verdict.sender, (senders.get(verdict.sender) ?? 0) + 1);
        return store.receive(batch, options);
      },
    };
  }),
];
