import { openLeases, type Subject } from 'mempool-conformance';
import type { OpenOptions } from 'mempool-core';
import { inProcessElection, Leases } from 'mempool-election';
import { ephemeral } from 'mempool-ephemeral';
import { asTested, type TestedPool } from '../../src/case/tested-pool.ts';
import { storeVerbs, verbsOf } from '../../src/case/verbs.ts';
import { type Mutant, mutant, plainPool } from './mutant.ts';

/** Pools that stay after their stores were closed, and elections of them. */
class Kept {
  readonly pools: Map<string, TestedPool> = new Map();
  readonly elections: Map<string, Leases> = new Map();

  /** False if there is no such pool. */
  remove(pool: string): boolean {
    this.elections.delete(pool);
    return this.pools.delete(pool);
  }

  async open({ pool = 'mempool', ...options }: OpenOptions = {}): Promise<TestedPool> {
    const store = this.pools.get(pool) ?? asTested(await ephemeral.open(options));
    this.pools.set(pool, store);
    const { name, capabilities, ordering } = store;
    return { name, capabilities, ordering, ...verbsOf(store, storeVerbs), close: async () => undefined } as TestedPool;
  }

  leasesOf(pool: string): Leases {
    const leases = this.elections.get(pool) ?? new Leases();
    this.elections.set(pool, leases);
    return leases;
  }
}

/** A backend that removes pools in another way. */
function removing(id: string, remove: (kept: Kept, pool: string) => boolean): Mutant {
  const kept = new Kept();
  const hooks: Partial<Subject> = {
    remove: async (pool) => remove(kept, pool),
    leases: (pool, options) => openLeases(inProcessElection, { leases: kept.leasesOf(pool) }, options),
  };
  const capabilities = { ...plainPool, durable: true };
  return mutant(id, { name: id, capabilities, open: (options) => kept.open(options) }, hooks);
}

/** Without a fault. */
export const soundRemoving: Mutant = removing('sound-removing', (kept, pool) => kept.remove(pool));

/** D4. */
export const removingMutants: readonly Mutant[] = [
  removing('removes-nothing', (kept, pool) => kept.pools.has(pool)),
  removing('removes-what-begins-like-it', (kept, pool) => {
    const like = [...kept.pools.keys()].filter((name) => name.startsWith(pool));
    return like.map((name) => kept.remove(name)).includes(true);
  }),
  mutant(
    'removes-what-is-not-stored',
    { name: 'removes-what-is-not-stored', capabilities: plainPool, open: (options) => ephemeral.open(options) },
    { remove: async () => true },
  ),
];
