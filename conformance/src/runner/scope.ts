import { randomUUID } from 'node:crypto';
import type { OpenOptions } from 'mempool-core';
import { hasCoreBoundary } from 'mempool-core/backend';
import { createElection, type Election, type ElectionProvider, type LeaseStore } from 'mempool-election';
import type { Ledger, LedgerOptions } from 'mempool-ledger';
import type { CaseContext, ConformanceCase, ElectOptions, LeasesOptions, Subject } from '../case/case.ts';
import { ordered } from '../case/ordering.ts';
import { Random } from '../case/random.ts';
import type { TaskName } from '../case/task.ts';
import { asTested, type OpenedPool, type TestedPool } from '../case/tested-pool.ts';
import { ForkedChild } from '../process/fork.ts';
import { limitOf } from './limits.ts';
import { Recording } from './recording.ts';

/** The parts that a runner gives to a scope. */
interface ScopeOptions {
  readonly seed: number;
  readonly effort: number;
  /** Aborts when the case's time is up. */
  readonly signal: AbortSignal;
}

/** All resources that one case has opened and started, so that the runner can always end them. */
export class CaseScope {
  readonly context: CaseContext;
  readonly recording: Recording = new Recording();
  readonly #subject: Subject;
  readonly #case: Pick<ConformanceCase, 'ordering'>;
  readonly #pools: string[] = [];
  readonly #stores: Promise<OpenedPool | LeaseStore | Ledger>[] = [];
  readonly #elections: Election[] = [];
  readonly #children: ForkedChild[] = [];

  constructor(subject: Subject, one: Pick<ConformanceCase, 'ordering'>, { seed, effort, signal }: ScopeOptions) {
    this.#subject = subject;
    this.#case = one;
    const pool = this.#newPool();
    this.context = {
      open: (options) => this.#open(pool, 'store', options),
      openOther: (options) => this.#open(this.#newPool(), 'other', options),
      openNamed: (name, options) => this.#open(this.#named(name), 'other', options),
      leases: ({ pool: other = pool, ...options } = {}) => this.#leases(other, options),
      ledger: (options) => this.#ledger(pool, options),
      newPool: () => this.#newPool(),
      elect: (options) => this.#elect(pool, options),
      forget: async () => subject.forget?.(pool),
      damage: async (record) => subject.damage?.(pool, record),
      renew: (store) => this.#renew(pool, store),
      remove: (name = pool) => this.#remove(name),
      fork: (task, input) => this.#fork(pool, task, input, signal),
      random: new Random(seed),
      capabilities: subject.backend.capabilities,
      effort,
      pool,
      signal,
    };
  }

  /** Kills the children, stops the elections, closes the stores, removes the pools. @returns the errors of these steps */
  async end(): Promise<unknown[]> {
    const steps = [this.#killChildren, this.#stopElections, this.#closeStores, this.#destroyPools];
    const faults: unknown[] = [];
    for (const step of steps) faults.push(...(await bounded(step.call(this))));
    return faults;
  }

  #newPool(): string {
    return this.#named(`conformance-${randomUUID()}`);
  }

  #named(pool: string): string {
    if (!this.#pools.includes(pool)) this.#pools.push(pool);
    return pool;
  }

  async #open(pool: string, name: string, options: OpenOptions = {}): Promise<TestedPool> {
    const opened = (async () => this.#subject.open(pool, ordered(options, this.#case)))();
    const count = this.#stores.push(opened);
    const store = asTested(await opened);
    if (this.#subject.boundary === 'core' && !hasCoreBoundary(store))
      throw new Error(`${this.#subject.name} says that core's boundary makes its stores, but opens one without it`);
    return this.recording.of(store, count === 1 ? name : `${name}${count}`);
  }

  async #renew(pool: string, store: TestedPool): Promise<TestedPool> {
    if (this.#subject.renew !== undefined) {
      await this.#subject.renew(pool);
      return store;
    }
    await store.close();
    await this.#subject.destroy?.(pool);
    return this.#open(pool, 'store');
  }

  async #remove(pool: string): Promise<boolean> {
    const { remove, name } = this.#subject;
    if (remove === undefined) throw new Error(`${name} removes no pools: the case must say that it needs it`);
    return remove.call(this.#subject, pool);
  }

  async #leases(pool: string, options: LeasesOptions = {}): Promise<LeaseStore> {
    const opened = (async () => {
      const store = await this.#subject.leases?.(pool, options);
      if (store === undefined)
        throw new Error(`${this.#subject.name} has no leases: the case must say that it needs them`);
      return store;
    })();
    const count = this.#stores.push(opened);
    return this.recording.of(await opened, `leases${count}`);
  }

  async #ledger(pool: string, options: Partial<LedgerOptions> = {}): Promise<Ledger> {
    const { ledger: open, name: subject } = this.#subject;
    if (open === undefined) throw new Error(`${subject} has no ledger: the case must say that it needs one`);
    const opened = (async () =>
      open.call(this.#subject, { currency: 'COIN', ...options, name: options.name ?? pool }))();
    const count = this.#stores.push(opened);
    return this.recording.of(await opened, count === 1 ? 'ledger' : `ledger${count}`);
  }

  #elect(pool: string, { through = (store) => store, ...options }: ElectOptions = {}): Election {
    const provider: ElectionProvider = {
      type: 'conformance',
      open: async ({ ttlMs }) => through(await this.#leases(pool, { ttlMs })),
    };
    const make = this.#subject.elect ?? createElection;
    const election = make(provider, options);
    this.#elections.push(election);
    return election;
  }

  async #fork(pool: string, task: TaskName, input: unknown, signal: AbortSignal): Promise<ForkedChild> {
    signal.throwIfAborted();
    const { ordering } = this.#case;
    const child = new ForkedChild({ module: this.#subject.module, pool, ordering, task, input });
    this.#children.push(child);
    await child.started;
    return child;
  }

  #killChildren(): Promise<unknown[]> {
    return faultsOf(this.#children.map((child) => child.kill()));
  }

  #stopElections(): Promise<unknown[]> {
    return faultsOf(this.#elections.map((election) => election.stop()));
  }

  async #closeStores(): Promise<unknown[]> {
    const opened = await Promise.allSettled(this.#stores);
    return faultsOf(opened.map(async (result) => (result.status === 'fulfilled' ? result.value.close() : undefined)));
  }

  #destroyPools(): Promise<unknown[]> {
    return faultsOf(this.#pools.map(async (pool) => this.#subject.destroy?.(pool)));
  }
}

async function faultsOf(work: readonly (Promise<unknown> | undefined)[]): Promise<unknown[]> {
  const results = await Promise.allSettled(work);
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
}

/** A store that never closes must not stop the suite. */
async function bounded(work: Promise<unknown[]>): Promise<unknown[]> {
  const { promise, resolve } = Promise.withResolvers<unknown[]>();
  const endingMs = limitOf('endingMs');
  const timer = setTimeout(() => resolve([new Error(`not ended after ${endingMs} ms`)]), endingMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
