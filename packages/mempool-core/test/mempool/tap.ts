import {
  Mempool,
  type MempoolEvent,
  type MempoolOptions,
  type MempoolStore,
  type OpenOptions,
  type Transaction,
} from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';

type Verb = keyof MempoolStore;

/** A store whose calls are noted, and may be held up or made to fail before they reach the backend. */
export interface Tap {
  readonly store: MempoolStore;
  /** Verbs in the order called, with the number of transactions where there is a list. */
  readonly calls: string[];
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
  const hooks = new Map<PropertyKey, (argument: unknown) => Promise<void> | void>();
  const afterwards = new Map<PropertyKey, () => Promise<void>>();
  let flowing: Promise<void> = Promise.resolve();
  async function* held(events: AsyncIterable<MempoolEvent>): AsyncGenerator<MempoolEvent> {
    for await (const event of events) {
      await flowing;
      yield event;
    }
  }
  const tapped = new Proxy(store, {
    get(target, verb) {
      const value: unknown = Reflect.get(target, verb, target);
      if (typeof value !== 'function') return value;
      return async (...given: unknown[]) => {
        calls.push(Array.isArray(given[0]) ? `${String(verb)} ${given[0].length}` : String(verb));
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

export interface Opened extends Tap {
  readonly pool: Mempool;
}

export async function open(options: MempoolOptions = {}, storeOptions: OpenOptions = {}): Promise<Opened> {
  const tapped = tap(await ephemeral.open(storeOptions));
  return { ...tapped, pool: new Mempool(tapped.store, options) };
}

export function hash(n: number): string {
  return n.toString(16).padStart(64, '0');
}

export function transaction(n: number, bytes = 3): Transaction {
  return { hash: hash(n), payload: new Uint8Array(bytes).fill(n), payloadType: 6 };
}

/** The block of that number, which carries these transactions. */
export function block(number: number, ...seen: number[]) {
  return { point: { slot: number, hash: hash(1_000_000 + number) }, seen: seen.map(hash), unseen: [] };
}

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
  void promise.finally(() => {
    done = true;
  });
  await rest();
  return done;
}
