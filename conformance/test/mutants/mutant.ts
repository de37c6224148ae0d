import type { Subject } from 'mempool-conformance';
import type {
  Backend,
  Capabilities,
  DriverOptions,
  MempoolStore,
  OpenOptions,
  PoolView,
  Step,
  StoreDriver,
  TransactionEvent,
} from 'mempool-core';
import { defineBackend } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { storeVerbs, verbsOf } from '../../src/case/verbs.ts';
import kills from './kills.json' with { type: 'json' };
import { PlantedDriver, type WriteVerb } from './planted-driver.ts';

/** A store with one fault, and the cases that must notice it (`kills.json`, written by `assign-kills.ts`). */
export interface Mutant {
  readonly id: string;
  readonly kills: readonly string[];
  readonly backend: Backend;
  /** How its pools are opened, where they have an election; then the fault may be in that. */
  readonly election?: Partial<Subject>;
}

const capabilities = { durable: false, shared: false, lease: false, priority: false };
const assigned: Readonly<Record<string, readonly string[]>> = kills;

export function mutant(id: string, backend: Backend, election?: Partial<Subject>): Mutant {
  return { id, kills: assigned[id] ?? [], backend, ...(election && { election }) };
}

/** A fault in what the rules are told of the pool. */
export function told(
  id: string,
  plant: (pool: PlantedDriver, options: DriverOptions) => (verb: WriteVerb) => Partial<PoolView>,
): Mutant {
  return planted(id, (pool, options) => {
    pool.tell = plant(pool, options);
  });
}

/** A fault between what the rules decide and what is written. */
export function decided(
  id: string,
  plant: (pool: PlantedDriver, options: DriverOptions) => (step: Step<unknown>, verb: WriteVerb) => Step<unknown>,
): Mutant {
  return planted(id, (pool, options) => {
    pool.decide = plant(pool, options);
  });
}

function planted(id: string, plant: (pool: PlantedDriver, options: DriverOptions) => void): Mutant {
  const open = (options: DriverOptions) => {
    const pool = new PlantedDriver(options);
    plant(pool, options);
    return pool;
  };
  return mutant(id, defineBackend({ name: id, capabilities, open }));
}

/** A fault in a backend's verbs, below core's checks. */
export function answered(
  id: string,
  plant: (pool: PlantedDriver, options: DriverOptions) => Partial<StoreDriver>,
): Mutant {
  const open = (options: DriverOptions) => {
    const pool = new PlantedDriver(options);
    return { ...verbsOf(pool, driverVerbs), ...plant(pool, options) };
  };
  return mutant(id, defineBackend({ name: id, capabilities, open }));
}

export type StoreFault = (store: MempoolStore, options: OpenOptions) => Partial<MempoolStore>;

/** A fault in what a caller gets, above core's checks: that of a store made without them. */
export function handed(id: string, plant: StoreFault, offered: Capabilities = capabilities): Mutant {
  const open = async (options: OpenOptions = {}): Promise<MempoolStore> => {
    const store = await ephemeral.open(options);
    const plain = { name: id, capabilities: offered, ordering: store.ordering, ...verbsOf(store, storeVerbs) };
    return { ...plain, ...plant(store, options) };
  };
  return mutant(id, { name: id, capabilities: offered, open });
}

/** A fault in what is done with the options of `open`. */
export function opened(
  id: string,
  open: (options: OpenOptions) => OpenOptions,
  offered: Capabilities = capabilities,
): Mutant {
  return mutant(id, { name: id, capabilities: offered, open: async (options = {}) => ephemeral.open(open(options)) });
}

const driverVerbs = [
  'receive',
  'move',
  'drop',
  'confirm',
  'rollback',
  'peekPending',
  'peekInflight',
  'findInflight',
  'checkStatus',
  'dumpFinalized',
  'tip',
  'usage',
  'readEvents',
  'onEvents',
  'close',
] as const satisfies readonly (keyof StoreDriver)[];

/** The step with its transaction events changed, or left out where `change` answers `null`; the numbers stay gap-free. */
export function withEvents<Outcome>(
  step: Step<Outcome>,
  change: (event: TransactionEvent) => TransactionEvent | null,
): Step<Outcome> {
  const first = step.events[0]?.eventSeq ?? 1;
  const kept = step.events
    .map((event) => (event.kind === 'transaction' ? change(event) : event))
    .filter((event) => event !== null);
  return { ...step, events: kept.map((event, i) => ({ ...event, eventSeq: first + i })) };
}
