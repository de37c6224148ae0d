import { randomUUID } from 'node:crypto';
import { defaultRetention, type KnownStage, type Limits } from 'mempool-core';
import {
  type DriverOptions,
  defineBackend,
  dumpOfPool,
  type Entry,
  eventTime,
  MemoryPool,
  memoryDriver,
  type OrderKey,
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
  type StepEvent,
  type StoreDriver,
} from 'mempool-core/backend';
import { changed, numbered } from './fifo-operators.ts';
import { over } from './lease-operators.ts';
import { type Mutant, mutant, plainPool } from './mutant.ts';
import { Layer } from './operators.ts';
import { free } from './planted-driver.ts';

export type RankedDriver = StoreDriver & PriorityVerbs;
export type RankedVerb = keyof RankedDriver;

/** A call that is under way. */
export interface Seen {
  readonly verb: RankedVerb;
  readonly given: readonly unknown[];
  readonly index: PoolIndex;
  readonly memory: MemoryPool;
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

const capabilities = { ...plainPool, priority: true, records: false, import: false };

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
    return { verb: this.verb, given: this.given, index: this.index, memory: this.memory };
  }
}

/** Every call is a step, whatever shorter ways a pool in memory has. */
function storageOf(pool: PriorityPool, options: DriverOptions): PriorityStorage {
  const { memory } = pool;
  const clock = poolClock(options);
  const write: PriorityStorage['write'] = (verb, context, plan) => {
    const known = memory.findOperation<ReturnType<typeof plan>['outcome']>(verb, context);
    if (known !== null) return known.outcome;
    const nowMs = clock();
    return pool.commit(
      (planning) => plan(planning, nowMs),
      (step) => recorded(step, verb, context, eventTime(nowMs, memory.lastAt)),
    );
  };
  return {
    read: (_, read) => read(pool),
    write,
    writeUnderLease: write,
    stored: (_, after, choose) => memory.stored(choose(pool), after),
    bodies: (_, hashes) => memory.fifo.bodies(hashes),
  };
}

function openPlanted(given: DriverOptions, faults: RankedFaults): StoreDriver {
  const options = faults.options?.(given) ?? given;
  const close = (): void => undefined;
  if (options.ordering === 'fifo') {
    const memory = new MemoryPool(randomUUID(), { ...defaultRetention, ...options.retention });
    return memoryDriver({ memory, options, close });
  }
  const pool = new PlantedPool(options, faults);
  const lent = over<PriorityPool>(pool, () => ({
    get index() {
      return pool.seen;
    },
  }));
  const reads = memoryDriver({ memory: pool.memory, options, close });
  const sound: RankedDriver = {
    ...reads,
    ...priorityDriver(storageOf(lent, options), options),
    dumpPool: () => dumpOfPool(lent),
  };
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

export type Change = object | false | null | undefined;
export type Verbs = readonly RankedVerb[];
interface Site {
  readonly pool: PriorityPool;
  readonly index: PoolIndex;
  readonly memory: MemoryPool;
  readonly options: DriverOptions;
}

/** Faults in a pool by priority, in its verbs, below core's checks, and on both sides of the rules; one by arrival has none. */
class PriorityLayer extends Layer<RankedDriver, Site> {
  constructor() {
    super((id, fault) =>
      this.faults(id, {
        answer: (driver, pool, options) => fault(driver, { pool, index: pool.index, memory: pool.memory, options }),
      }),
    );
  }

  /** Faults of several kinds. */
  faults(id: string, faults: RankedFaults): Mutant {
    return mutant(id, defineBackend({ name: id, capabilities, open: (options) => openPlanted(options, faults) }));
  }

  /** What the rules find in the index. */
  view(id: string, verbs: Verbs, see: (seen: Seen) => Partial<PoolIndex>): Mutant {
    return this.faults(id, { see: (seen) => (verbs.includes(seen.verb) ? see(seen) : {}) });
  }

  /** The limits that the rules go by. */
  limits(id: string, verbs: Verbs, change: (limits: Limits, seen: Seen) => Partial<Limits>): Mutant {
    return this.view(id, verbs, (seen) => ({ limits: { ...seen.index.limits, ...change(seen.index.limits, seen) } }));
  }

  /** Where a transaction is placed. */
  places(id: string, change: (place: OrderKey, entry: Entry, index: PoolIndex) => Change): Mutant {
    const moved = (place: OrderKey, entry: Entry, index: PoolIndex): OrderKey => {
      const made = change(place, entry, index);
      // One with a tip computes its effective priority.
      return made ? { ...place, effectivePriority: place.effectivePriority, ...made } : place;
    };
    return this.faults(id, {
      see: ({ index }) => ({
        place: (node, place) => index.place(node, moved(place, node.entry, index)),
        stand: (entry, place) => index.stand(entry, moved(place, entry, index)),
      }),
    });
  }

  /** What becomes of an entry that changes its stage. */
  moves(id: string, verbs: Verbs, change: (entry: Entry, stage: KnownStage, node: PoolNode, seen: Seen) => Change) {
    return this.view(id, verbs, (seen) => ({
      move: (node, stage, entry = node.entry) =>
        seen.index.move(node, stage, { ...entry, ...(change(entry, stage, node, seen) || {}) }),
    }));
  }

  /** What is written instead of what the rules decided. */
  decided(id: string, verbs: Verbs, change: (step: Step<unknown>, seen: Seen) => Change): Mutant {
    return this.faults(id, {
      decide: (step, seen) => (verbs.includes(seen.verb) ? { ...step, ...(change(step, seen) || {}) } : step),
    });
  }

  /** The events of calls changed, or left out where the change is `null`. */
  events(id: string, verbs: Verbs, change: (event: StepEvent, seen: Seen, step: Step<unknown>) => Change): Mutant {
    return this.decided(id, verbs, (step, seen) => changed(step, (event) => change(event, seen, step)));
  }

  /** The events of a call in another order, numbered anew. */
  ordered(id: string, verbs: Verbs, order: (events: StepEvent[]) => StepEvent[]): Mutant {
    return this.decided(id, verbs, (step) => numbered(step, order([...step.events])));
  }
}

/** Transactions leave for this reason. @returns their hashes */
export async function leave(driver: RankedDriver, nodes: Iterable<{ readonly hash: string }>, reason: string) {
  const hashes = new Set(Array.from(nodes, ({ hash }) => hash));
  return hashes.size === 0 ? [] : driver.drop([...hashes], reason, free);
}

export const priority: PriorityLayer = new PriorityLayer();
