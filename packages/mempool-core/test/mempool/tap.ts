import {
  type AnyStore,
  Mempool,
  type MempoolEvent,
  type MempoolOf,
  type MempoolOptions,
  type MempoolStore,
  type OpenOptions,
  type Ordering,
  type Schedule,
  type SubmitOutcome,
  type Transaction,
  type Verdict,
} from 'mempool-core';
import { anyStore, wrappedStore } from 'mempool-core/backend';
import { ephemeral } from 'mempool-ephemeral';
import { onTestFinished } from 'vitest';

type Verb = keyof AnyStore;

/** A store whose calls are noted, and may be held up or made to fail before they reach the backend. */
export interface Tap {
  readonly store: AnyStore;
  /** Verbs in the order called, with the number of transactions where there is a list. */
  readonly calls: string[];
  /** The operation ids that came with the calls. */
  readonly operationIds: unknown[];
  /** How often the verb was called. */
  count(verb: Verb): number;
  /** Runs before every later call of the verb; what it throws, the caller gets. */
  before(verb: Verb, run: (argument: unknown) => Promise<void> | void): void;
  /** Runs when the backend has answered a later call of the verb, before the caller hears of it. */
  after(verb: Verb, run: () => Promise<void>): void;
  /** Keeps back the events of streams opened later, until what it returns is called. */
  holdEvents(): () => void;
  /** Ends every stream with this at its next event, until what it returns is called. */
  breakEvents(reason: Error): () => void;
}

export function tap(store: MempoolStore): Tap {
  const calls: string[] = [];
  const operationIds: unknown[] = [];
  const hooks = new Map<PropertyKey, (argument: unknown) => Promise<void> | void>();
  const afterwards = new Map<PropertyKey, () => Promise<void>>();
  let flowing: Promise<void> = Promise.resolve();
  async function* held(events: AsyncIterable<MempoolEvent>): AsyncGenerator<MempoolEvent> {
    for await (const event of events) {
      await flowing;
      yield event;
    }
  }
  const tapped = new Proxy(anyStore(store), {
    has: (target, verb) => verb === wrappedStore || Reflect.has(target, verb),
    get(target, verb) {
      if (verb === wrappedStore) return target;
      const value: unknown = Reflect.get(target, verb, target);
      if (typeof value !== 'function') return value;
      return async (...given: unknown[]) => {
        calls.push(Array.isArray(given[0]) ? `${String(verb)} ${given[0].length}` : String(verb));
        const { operationId } = (given.at(-1) ?? {}) as { readonly operationId?: unknown };
        if (operationId !== undefined) operationIds.push(operationId);
        await hooks.get(verb)?.(given[0]);
        const answer: unknown = await value.apply(target, given);
        await afterwards.get(verb)?.();
        return verb === 'subscribe' ? held(answer as AsyncIterable<MempoolEvent>) : answer;
      };
    },
  });
  return {
    store: tapped,
    calls,
    operationIds,
    count: (verb) => calls.filter((call) => call.split(' ')[0] === verb).length,
    before: (verb, run) => void hooks.set(verb, run),
    after: (verb, run) => void afterwards.set(verb, run),
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
}

/** A pool that is closed when the test has finished. */
export async function open<O extends Ordering = 'fifo'>(
  options: MempoolOptions = {},
  storeOptions: OpenOptions<O> = {},
): Promise<Opened<O>> {
  const tapped = tap(await ephemeral.open<Ordering>(storeOptions));
  const pool = new Mempool(tapped.store, options) as MempoolOf<O>;
  onTestFinished(() => pool.close());
  return { ...tapped, pool };
}

export function openPriority(
  options: MempoolOptions = {},
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

export function kinds(outcomes: readonly SubmitOutcome[]): string[] {
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
