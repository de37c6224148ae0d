import { Mempool, type MempoolOptions, type MempoolStore, type OpenOptions, type Transaction } from 'mempool-core';
import { ephemeral } from '../src/index.ts';

type Verb = keyof MempoolStore;

/** A store whose calls are noted, and may be held up or made to fail before they reach the backend. */
export interface Tap {
  readonly store: MempoolStore;
  /** Verbs in the order called, with the number of transactions where there is a list. */
  readonly calls: string[];
  /** Runs before every later call of the verb; what it throws, the caller gets. */
  before(verb: Verb, run: (argument: unknown) => Promise<void> | void): void;
}

export function tap(store: MempoolStore): Tap {
  const calls: string[] = [];
  const hooks = new Map<PropertyKey, (argument: unknown) => Promise<void> | void>();
  const tapped = new Proxy(store, {
    get(target, verb) {
      const value: unknown = Reflect.get(target, verb, target);
      if (typeof value !== 'function') return value;
      return async (...given: unknown[]) => {
        calls.push(Array.isArray(given[0]) ? `${String(verb)} ${given[0].length}` : String(verb));
        await hooks.get(verb)?.(given[0]);
        return value.apply(target, given);
      };
    },
  });
  return { store: tapped, calls, before: (verb, run) => void hooks.set(verb, run) };
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
