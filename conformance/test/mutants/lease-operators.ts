import type { Subject } from 'mempool-conformance';
import type { OpenOptions, Ordering } from 'mempool-core';
import type { LeaseSource } from 'mempool-core/backend';
import {
  createElection,
  type Election,
  type ElectionClock,
  type ElectionOptions,
  type ElectionProvider,
  type HeldLease,
  type LeaseStore,
  Leases,
  systemClock,
} from 'mempool-election';
import { ephemeral } from 'mempool-ephemeral';
import { asTested, type TestedPool } from '../../src/case/tested-pool.ts';
import { leaseVerbs, storeVerbs, verbsOf } from '../../src/case/verbs.ts';
import { type Mutant, mutant } from './mutant.ts';
import { Layer } from './operators.ts';

const name = 'watcher';

/** One pool's election, whose store can lose all it has. */
export class Hall {
  leases: Leases;
  /** The last lease that was won and not released, run out or not. */
  last: HeldLease | null = null;
  /** The first one. */
  first: HeldLease | null = null;
  readonly nodes: LeaseStore[] = [];
  readonly #clock: ElectionClock;

  constructor(clock: Partial<ElectionClock>) {
    // A wall clock that stands: what begins anew begins at the same term.
    const began = Date.now();
    this.#clock = { ...systemClock, wallMs: () => began, ...clock };
    this.leases = new Leases({ clock: this.#clock });
  }

  forget(): void {
    this.leases = new Leases({ clock: this.#clock });
  }

  /** A node's store, of whatever there is. */
  open(): LeaseStore {
    let [of, inner] = [this.leases, this.leases.open(name)];
    const node = (): LeaseStore => {
      if (of !== this.leases) [of, inner] = [this.leases, this.leases.open(name)];
      return inner;
    };
    const store: LeaseStore = {
      campaign: async (request) => {
        const reply = await node().campaign(request);
        if (reply.kind === 'won') this.last = reply.lease;
        if (reply.kind === 'won') this.first ??= reply.lease;
        return reply;
      },
      renew: (lease, request) => node().renew(lease, request),
      reinstate: (lease, request) => node().reinstate(lease, request),
      release: async (holder) => {
        const released = await node().release(holder);
        if (released) this.last = null;
        return released;
      },
      observe: () => node().observe(),
      heartbeat: (candidate, ttlMs) => node().heartbeat(candidate, ttlMs),
      members: () => node().members(),
      onHint: (listener) => node().onHint(listener),
      close: () => node().close(),
    };
    this.nodes.push(store);
    return store;
  }

  /** What the pool's fence asks. */
  get source(): LeaseSource {
    return { held: () => this.leases.held(name), extend: () => this.leases.extend(name) };
  }
}

/** Where faults can be planted in an election and in a pool that it guards. */
interface Faults {
  /** The pools that have the fault, with a backend that keeps such ones; default: those in order of arrival. */
  readonly ordering?: Ordering;
  readonly clock?: Partial<ElectionClock>;
  /** Which pools share an election. */
  hallOf?(pool: string): string;
  leases?(store: LeaseStore, hall: Hall): Partial<LeaseStore>;
  source?(source: LeaseSource, hall: Hall): Partial<LeaseSource>;
  options?(options: OpenOptions): OpenOptions;
  pool?(store: TestedPool, hall: Hall): Partial<TestedPool>;
  elect?(provider: ElectionProvider, options: ElectionOptions): Election;
}

export function electing(id: string, faults: Faults): Mutant {
  const { ordering = 'fifo' } = faults;
  const capabilities = {
    durable: false,
    shared: false,
    lease: true,
    priority: ordering === 'priority',
    records: true,
    import: false,
  };
  const halls = new Map<string, Hall>();
  const hallOf = (pool: string): Hall => {
    const key = faults.hallOf?.(pool) ?? pool;
    const hall = halls.get(key) ?? new Hall(faults.clock ?? {});
    halls.set(key, hall);
    return hall;
  };
  const open = async (options: OpenOptions = {}): Promise<TestedPool> => {
    const hall = hallOf(options.pool ?? 'mempool');
    const planted = ordering === (options.ordering ?? 'fifo') ? faults : {};
    const leases = { ...hall.source, ...planted.source?.(hall.source, hall) };
    const store = asTested(await ephemeral.open({ ...(planted.options?.(options) ?? options), leases }));
    return {
      name: id,
      capabilities,
      ordering: store.ordering,
      ...verbsOf(store, storeVerbs),
      ...planted.pool?.(store, hall),
    };
  };
  const election: Partial<Subject> = {
    async leases(pool) {
      const hall = hallOf(pool);
      const store = hall.open();
      return { ...store, ...faults.leases?.(store, hall) };
    },
    leaseTraits: ['hints'],
    forget: async (pool) => hallOf(pool).forget(),
    destroy: async (pool) => void halls.delete(faults.hallOf?.(pool) ?? pool),
    elect: faults.elect ?? createElection,
  };
  return mutant(id, { name: id, capabilities, open }, election);
}

/** Faults in the verbs of a node's leases. */
export const leases: Layer<LeaseStore, { readonly hall: Hall }> = new Layer((id, fault) =>
  electing(id, { leases: (store, hall) => fault(store, { hall }) }),
);

/** A fault in a node's election, put over a sound one. */
export function elected(id: string, plant: (election: Election) => Partial<Election>): Mutant {
  return electing(id, { elect: (provider, options) => over(createElection(provider, options), plant) });
}

/** A fault in what a node's election is given: its options, or its store. */
export function electedWith(
  id: string,
  {
    options = (given) => given,
    leases = () => ({}),
  }: { options?: Given; leases?: (store: LeaseStore) => Partial<LeaseStore> },
): Mutant {
  return electing(id, { elect: (provider, given) => createElection(withLeases(provider, leases), options(given)) });
}

type Given = (options: ElectionOptions) => ElectionOptions;

/** What opens a node's store, with some of its verbs replaced. */
function withLeases(provider: ElectionProvider, leases: (store: LeaseStore) => Partial<LeaseStore>): ElectionProvider {
  const open: ElectionProvider['open'] = async (own) => {
    const store = await provider.open(own);
    return { ...verbsOf(store, leaseVerbs), ...leases(store) };
  };
  return { ...provider, open };
}

/** The whole with some members replaced; what is not keeps its own `this`. */
export function over<T extends object>(whole: T, plant: (whole: T) => Partial<T>): T {
  const planted = plant(whole);
  return new Proxy(whole, {
    get(target, key) {
      if (Object.hasOwn(planted, key)) return Reflect.get(planted, key);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    // Not by the proxy: a setter may need the private fields of the whole.
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
}
