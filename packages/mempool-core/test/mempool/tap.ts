import { randomUUID } from 'node:crypto';
import {
  type AnyMempool,
  defaultRetention,
  type Mempool,
  type MempoolEvent,
  type MempoolOf,
  type OpenOptions,
  type Ordering,
  type ReceiveOutcome,
  type Schedule,
  type Transaction,
  type Verdict,
} from 'mempool-core';
import {
  anyMempool,
  type DriverOptions,
  defineBackend,
  MemoryPool,
  memoryDriver,
  PriorityPool,
  priorityMemoryDriver,
  type StoreDriver,
} from 'mempool-core/backend';
import { onTestFinished } from 'vitest';

/** Notes calls, and may hold them up or make them fail before they reach their target. */
export interface Tap {
  /** Verbs in the order called, with the number of transactions where there is a list. */
  readonly calls: string[];
  /** The operation ids that came with the calls. */
  readonly operationIds: unknown[];
  /** How often the verb was called. */
  count(verb: string): number;
  /** Runs before every later call of the verb; its error goes to the caller. */
  before(verb: string, run: (argument: unknown) => Promise<void> | void): void;
  /** Runs after the answer to each later call of the verb, before the caller gets it. */
  after(verb: string, run: () => Promise<void>): void;
  /** Puts another answer in the place of each later one of the verb. */
  replace(verb: string, change: (answer: unknown) => unknown): void;
  /** Keeps back the events of streams opened later, until the function that it returns is called. */
  holdEvents(): () => void;
  /** Ends every stream with this error at its next event, until the function that it returns is called. */
  breakEvents(reason: Error): () => void;
}

interface Tapping extends Tap {
  /** Makes the call, with the hooks of its verb. */
  through(verb: string, given: readonly unknown[], call: () => unknown): Promise<unknown>;
  flow(): Promise<void>;
}

function tapping(): Tapping {
  const calls: string[] = [];
  const operationIds: unknown[] = [];
  const hooks = new Map<string, (argument: unknown) => Promise<void> | void>();
  const afterwards = new Map<string, () => Promise<void>>();
  const changes = new Map<string, (answer: unknown) => unknown>();
  let flowing: Promise<void> = Promise.resolve();
  return {
    calls,
    operationIds,
    async through(verb, given, call) {
      calls.push(Array.isArray(given[0]) ? `${verb} ${given[0].length}` : verb);
      const { operationId } = (given.at(-1) ?? {}) as { readonly operationId?: unknown };
      if (operationId !== undefined) operationIds.push(operationId);
      await hooks.get(verb)?.(given[0]);
      const answer = await call();
      await afterwards.get(verb)?.();
      return (changes.get(verb) ?? ((same) => same))(answer);
    },
    flow: () => flowing,
    count: (verb) => calls.filter((call) => call.split(' ')[0] === verb).length,
    before: (verb, run) => void hooks.set(verb, run),
    after: (verb, run) => void afterwards.set(verb, run),
    replace: (verb, change) => void changes.set(verb, change),
    holdEvents() {
      const { promise, resolve } = Promise.withResolvers<void>();
      flowing = promise;
      return resolve;
    },
    breakEvents(reason) {
      const before = flowing;
      flowing = Promise.reject(reason);
      flowing.catch(() => undefined);
      return () => {
        flowing = before;
      };
    },
  };
}

/** A pool whose calls are noted. */
export function tap(pool: Mempool): Tap & { readonly store: AnyMempool } {
  const noted = tapping();
  async function* held(events: AsyncIterable<MempoolEvent>): AsyncGenerator<MempoolEvent> {
    for await (const event of events) {
      await noted.flow();
      yield event;
    }
  }
  const store = new Proxy(anyMempool(pool), {
    get(target, verb) {
      const value: unknown = Reflect.get(target, verb, target);
      if (typeof value !== 'function') return value;
      return async (...given: unknown[]) => {
        const answer = await noted.through(String(verb), given, () => value.apply(target, given));
        return verb === 'subscribe' ? held(answer as AsyncIterable<MempoolEvent>) : answer;
      };
    },
  });
  return { ...noted, store };
}

/** The verb of a pool for which the driver's method is called, and its arguments. */
function verbOf(method: string, given: readonly unknown[]): [verb: string, given: readonly unknown[]] {
  if (method === 'move') return [String(given[0]), given.slice(1)];
  return [method === 'admit' ? 'receive' : method, given];
}

/** A driver whose calls are noted. Reads of events are not: they are held back, or fail, with the events. */
function tappedDriver(driver: StoreDriver, noted: Tapping): StoreDriver {
  return new Proxy(driver, {
    get(target, method) {
      const value: unknown = Reflect.get(target, method, target);
      if (typeof value !== 'function' || method === 'dumpPool' || method === 'exportPages')
        return typeof value === 'function' ? value.bind(target) : value;
      if (method === 'onEvents') return value.bind(target);
      if (method === 'readEvents')
        return async (after: number, limit: number) => {
          if (limit === 1) return noted.through('subscribe', [], () => value.call(target, after, limit));
          const page = value.call(target, after, limit);
          if (page.events.length > 0) await noted.flow();
          return page;
        };
      return (...all: unknown[]) => {
        const [verb, given] = verbOf(String(method), all);
        return noted.through(verb, given, () => value.apply(target, all));
      };
    },
  });
}

function driverOf(options: DriverOptions): StoreDriver {
  const [poolId, retention] = [randomUUID(), { ...defaultRetention, ...options.retention }];
  const close = () => undefined;
  if (options.ordering === 'fifo') return memoryDriver({ memory: new MemoryPool(poolId, retention), options, close });
  const pool = new PriorityPool({ epoch: poolId, retention, limits: options.limits });
  return priorityMemoryDriver({ pool, options, close });
}

const capabilities = { durable: false, shared: true, lease: true, priority: true, records: true, import: true };

/** Runs at its first call only. */
export function once(run: () => Promise<void>): () => Promise<void> {
  let first: (() => Promise<void>) | null = run;
  return async () => {
    const now = first;
    first = null;
    await now?.();
  };
}

export interface Opened<O extends Ordering = 'fifo'> extends Tap {
  readonly pool: MempoolOf<O>;
  /** Another node on the same pool, whose calls are not noted. It has the options of the store only. */
  readonly other: MempoolOf<O>;
}

/** A pool that is closed when the test has finished. */
export async function open<O extends Ordering = 'fifo'>(
  options: Omit<OpenOptions, 'ordering'> = {},
  storeOptions: OpenOptions<O> = {},
): Promise<Opened<O>> {
  const noted = tapping();
  let driver: StoreDriver | null = null;
  const backend = defineBackend({
    name: 'tapped',
    capabilities,
    open(opened) {
      if (driver !== null) return driver;
      driver = driverOf(opened);
      return tappedDriver(driver, noted);
    },
  });
  const pool = await backend.open<O>({ ...options, ...storeOptions } as OpenOptions<O>);
  const other = await backend.open<O>({ ...storeOptions, sweepEveryMs: Number.POSITIVE_INFINITY } as OpenOptions<O>);
  // A test may let it fail.
  onTestFinished(() => pool.close().catch(() => undefined));
  return { ...noted, pool, other };
}

export function openPriority(
  options: OpenOptions = {},
  storeOptions: OpenOptions<'priority'> = {},
): Promise<Opened<'priority'>> {
  return open(options, { ...storeOptions, ordering: 'priority' });
}

/** A pool in which these are Pending. */
export async function filled(...numbers: number[]): Promise<Opened> {
  const opened = await open();
  await opened.pool.receive(transactions(...numbers));
  return opened;
}

export function hash(n: number): string {
  return n.toString(16).padStart(64, '0');
}

export const hashes = (...all: number[]): string[] => all.map(hash);

export function transaction(n: number, bytes = 3): Transaction {
  return { hash: hash(n), payload: new Uint8Array(bytes).fill(n), payloadType: 6 };
}

export const transactions = (...all: number[]): Transaction[] => all.map((n) => transaction(n));

/** The numbers from 1 to the last. */
export const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);

/** A transaction that its number tells apart, with what the application says of it. */
export function pays(n: number, priority: bigint, rest: Verdict = {}): Transaction & { readonly verdict: Verdict } {
  return { ...transaction(n), verdict: { ...rest, priority } };
}

/** Which of the numbered transactions these are. */
export function numbers(named: readonly { readonly hash: string }[] = []): number[] {
  return named.map((each) => Number.parseInt(each.hash, 16));
}

export function kinds(outcomes: readonly ReceiveOutcome[]): string[] {
  return outcomes.map(({ kind }) => kind);
}

/** The block of that number, which carries these transactions. */
export function block(number: number, ...seen: number[]) {
  return { point: { slot: number, hash: hash(1_000_000 + number) }, seen: seen.map(hash), unseen: [] };
}

/** A refusal of the field. */
export const invalid = (field: string) => ({ code: 'ERR_MEMPOOL_INVALID', details: { field } });
export const closed = { code: 'ERR_MEMPOOL_CLOSED' };

export async function collect<T>(all: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const each of all) collected.push(each);
  return collected;
}

/** Turns of the event loop, enough for everything that is under way to come to rest. */
export async function rest(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise(setImmediate);
}

/** Whether the promise has been answered by now. */
export async function answered(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  const note = (): void => {
    done = true;
  };
  void promise.then(note, note);
  await rest();
  return done;
}

/** Timers that run out when the test says so. */
export class ManualTimer {
  readonly delays: number[] = [];
  readonly #waiting = new Set<() => void>();

  readonly schedule: Schedule = (callback, delayMs) => {
    this.delays.push(delayMs);
    this.#waiting.add(callback);
    return () => this.#waiting.delete(callback);
  };

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Runs what waits now; what is set while it runs waits for the next time. */
  runOut(): void {
    const due = [...this.#waiting];
    this.#waiting.clear();
    for (const callback of due) callback();
  }
}
