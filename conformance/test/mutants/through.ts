import type { MempoolStore, WriteOptions } from 'mempool-core';
import { handed, type Mutant } from './mutant.ts';

/** Makes a call in a changed way. */
export type Around = (verb: string, call: () => Promise<unknown>, given: readonly unknown[]) => Promise<unknown>;

export const writeVerbs = [
  'receive',
  'markInflight',
  'markAcknowledged',
  'release',
  'drop',
  'confirm',
  'rollback',
] as const;
export const readVerbs = [
  'hasPending',
  'peekPending',
  'peekInflight',
  'findInflight',
  'checkStatus',
  'dumpFinalized',
  'subscribe',
  'tip',
  'usage',
] as const;
export const allVerbs = [...writeVerbs, ...readVerbs];
export type Verb = (typeof allVerbs)[number];

/** Some verbs, made through `around`. */
export function through(store: MempoolStore, verbs: readonly Verb[], around: Around): Partial<MempoolStore> {
  const entries = verbs.map((verb) => {
    const call = store[verb].bind(store) as (...given: unknown[]) => Promise<unknown>;
    return [verb, async (...given: unknown[]) => around(verb, () => call(...given), given)];
  });
  return Object.fromEntries(entries);
}

export function around(id: string, verbs: readonly Verb[], make: (store: MempoolStore) => Around): Mutant {
  return handed(id, (store) => through(store, verbs, make(store)));
}

/** The options of a call, whichever argument they are. */
export function signalOf(given: readonly unknown[]): AbortSignal | undefined {
  return given.map((one) => (one as WriteOptions | undefined)?.signal).find((signal) => signal instanceof AbortSignal);
}

export function withoutSignal(given: readonly unknown[]): unknown[] {
  return given.map((one) => {
    const options = one as WriteOptions | undefined;
    return options?.signal instanceof AbortSignal ? { ...options, signal: undefined } : one;
  });
}

export function again(store: MempoolStore, verb: string, given: readonly unknown[]): Promise<unknown> {
  return (store[verb as Verb] as (...all: unknown[]) => Promise<unknown>).apply(store, [...given]);
}

/** What a verb answers when it does nothing. */
export const outcomeOf = (verb: string): unknown => (verb === 'confirm' || verb === 'rollback' ? { kind: 'gap' } : []);
