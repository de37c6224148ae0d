import { randomUUID } from 'node:crypto';
import { defaultRetention, type Limits, type MempoolStore, type OpenOptions } from 'mempool-core';
import {
  cutPage,
  type DriverOptions,
  defineBackend,
  dumpOf,
  type Entry,
  Ledger,
  ledgerDriver,
  type Place,
  type Planning,
  type PoolIndex,
  type PoolNode,
  PriorityPool,
  type PriorityStorage,
  type PriorityVerbs,
  poolClock,
  priorityDriver,
  recorded,
  type Step,
  type StoreDriver,
} from 'mempool-core/backend';
import { over } from './hall.ts';
import { Layer } from './layer.ts';
import { type Mutant, mutant, plainPool } from './mutant.ts';
import { pools } from './stores.ts';

export type RankedDriver = StoreDriver & PriorityVerbs;
export type RankedVerb = keyof RankedDriver;

/** A call that is under way. */
export interface Seen {
  readonly verb: RankedVerb;
  readonly given: readonly unknown[];
  readonly index: PoolIndex;
  readonly ledger: Ledger;
}

/** Where a fault can be planted in a pool by priority. */
export interface RankedFaults {
  options?(options: DriverOptions): DriverOptions;
  /** What the rules find in the index instead of what is there. */
  see?(seen: Seen): Partial<PoolIndex>;
  /** What is written instead of what the rules decided; the index may be changed too. */
  decide?(step: Step<unknown>, seen: Seen): Step<unknown>;
  /** Below core's checks. */
  answer?(driver: RankedDriver, pool: PriorityPool, options: DriverOptions): Partial<RankedDriver>;
}

const capabilities = { ...plainPool, priority: true };

/** A pool by priority with a place for a fault on both sides of the rules. */
class PlantedPool extends PriorityPool {
  readonly #faults: RankedFaults;
  verb: RankedVerb = 'close';
  given: readonly unknown[] = [];

  constructor(options: DriverOptions, faults: RankedFaults) {
    const retention = { ...defaultRetention, ...options.retention };
    super({ epoch: randomUUID(), retention, limits: options.limits });
    this.#faults = faults;
  }

  /** What the rules are given as the index. */
  get seen(): PoolIndex {
    const { see } = this.#faults;
    return see === undefined ? this.index : over(this.index, () => see(this.#call()));
  }

  override commit<T>(run: (pool: Planning) => Step<T>, keep: (step: Step<T>) => Step<T>): T {
    const { decide } = this.#faults;
    return super.commit(
      ({ view }) => run({ view, index: this.seen }),
      (step) => {
        const kept = keep(step);
        return decide === undefined ? kept : (decide(kept, this.#call()) as Step<T>);
      },
    );
  }

  #call(): Seen {
    return { verb: this.verb, given: this.given, index: this.index, ledger: this.ledger };
  }
}

/** Every call is a step, whatever shorter ways a pool in memory has. */
function storageOf(pool: PriorityPool, options: DriverOptions): PriorityStorage {
  const { ledger } = pool;
  const clock = poolClock(options);
  const write: PriorityStorage['write'] = (verb, { operationId }, plan) => {
    const known = ledger.findOperation<ReturnType<typeof plan>['outcome']>(verb, operationId);
    if (known !== null) return known.outcome;
    return pool.commit(
      (planning) => plan(planning, clock()),
      (step) => recorded(step, verb, operationId),
    );
  };
  return {
    read: (_, read) => read(pool),
    write,
    writeUnderLease: write,
    stored: (_, choose) => cutPage(ledger.stored(choose(pool)), () => true),
    bodies: (_, hashes) => ledger.arrivals.bodies(hashes),
    dump: () => dumpOf(pool.index),
  };
}

function openPlanted(given: DriverOptions, faults: RankedFaults): StoreDriver {
  const options = faults.options?.(given) ?? given;
  const close = (): void => undefined;
  if (options.ordering === 'fifo') {
    const ledger = new Ledger(randomUUID(), { ...defaultRetention, ...options.retention });
    return ledgerDriver({ ledger, options, close });
  }
  const pool = new PlantedPool(options, faults);
  const lent = over<PriorityPool>(pool, () => ({
    get index() {
      return pool.seen;
    },
  }));
  const reads = ledgerDriver({ ledger: pool.ledger, options, close });
  const sound: RankedDriver = { ...reads, ...priorityDriver(storageOf(lent, options), options) };
  const driver = Object.fromEntries(
    Object.entries(sound).map(([verb, call]) => [verb, noted(pool, verb as RankedVerb, call)]),
  ) as unknown as RankedDriver;
  return { ...driver, ...faults.answer?.(driver, pool, options) };
}

/** The pool knows which call is under way: all of them are made in one go. */
function noted(pool: PlantedPool, verb: RankedVerb, call: unknown): unknown {
  if (typeof call !== 'function') return call;
  return (...given: unknown[]): unknown => {
    pool.verb = verb;
    pool.given = given;
    return call(...given);
  };
}

/** A fault in a pool by priority; one in order of arrival has none. */
export function ranked(id: string, faults: RankedFaults): Mutant {
  return mutant(id, defineBackend({ name: id, capabilities, open: (options) => openPlanted(options, faults) }));
}

/** A fault in what the rules find in the index, in some verbs. */
export function seeing(id: string, verbs: readonly RankedVerb[], see: (seen: Seen) => Partial<PoolIndex>): Mutant {
  return ranked(id, { see: (seen) => (verbs.includes(seen.verb) ? see(seen) : {}) });
}

/** A fault in the limits that some verbs go by. */
export function limiting(
  id: string,
  verbs: readonly RankedVerb[],
  change: (limits: Limits, seen: Seen) => Partial<Limits>,
): Mutant {
  return seeing(id, verbs, (seen) => {
    const { limits } = seen.index;
    return { limits: { ...limits, ...change(limits, seen) } };
  });
}

/** A fault in where a transaction is placed. */
export function placing(id: string, change: (place: Place, entry: Entry, index: PoolIndex) => Place): Mutant {
  return ranked(id, {
    see: ({ index }) => ({
      place: (node, place) => index.place(node, change(place, node.entry, index)),
      stand: (entry, place) => index.stand(entry, change(place, entry, index)),
    }),
  });
}

/** A fault in the verbs of a pool by priority, below core's checks. */
export function ranking(
  id: string,
  answer: (driver: RankedDriver, pool: PriorityPool, options: DriverOptions) => Partial<RankedDriver>,
): Mutant {
  return ranked(id, { answer });
}

/** A fault between what the rules decide and what is written, in some verbs. */
export function settling(
  id: string,
  verbs: readonly RankedVerb[],
  decide: (step: Step<unknown>, seen: Seen) => Step<unknown>,
): Mutant {
  return ranked(id, { decide: (step, seen) => (verbs.includes(seen.verb) ? decide(step, seen) : step) });
}

/** Tags by a rule of its own. */
export function lentTags(
  of: (tag: string) => ReadonlySet<PoolNode>,
  has: (tag: string) => boolean = (tag) => of(tag).size > 0,
): PoolIndex['providers'] {
  return { of, has } as unknown as PoolIndex['providers'];
}

type StoreFault = (store: MempoolStore, options: OpenOptions) => Partial<MempoolStore>;

/** A fault in what a caller gets, above core's checks, in both orders. */
export function rankedStore(id: string, plant: StoreFault): Mutant {
  return pools.plant(id, (store, { options }) => plant(store, options));
}

/** A fault in what is done with the options of `open`. */
export function rankedOpened(id: string, change: (options: OpenOptions) => OpenOptions): Mutant {
  return pools.opened(id, change);
}

interface Site {
  readonly pool: PriorityPool;
  readonly index: PoolIndex;
  readonly ledger: Ledger;
  readonly options: DriverOptions;
}

/** Faults in a pool by priority: in its verbs, below core's checks, and on both sides of the rules. */
class PriorityLayer extends Layer<RankedDriver, Site> {}

export const byPriority: PriorityLayer = new PriorityLayer((id, fault) =>
  ranked(id, {
    answer: (driver, pool, options) => fault(driver, { pool, index: pool.index, ledger: pool.ledger, options }),
  }),
);
