import type { WriteOptions } from 'mempool-core';
import type { TestedPool } from '../../src/case/tested-pool.ts';

export const writeVerbs = [
  'receive',
  'markInflight',
  'markAcknowledged',
  'release',
  'drop',
  'confirm',
  'rollback',
] as const;
const readVerbs = [
  'hasPending',
  'peekPending',
  'peekInflight',
  'findInflight',
  'status',
  'dumpFinalized',
  'subscribe',
  'tip',
  'usage',
] as const;
export const allVerbs = [...writeVerbs, ...readVerbs];
export type Verb = (typeof allVerbs)[number];

/** The options of a call, whichever argument they are. */
export function signalOf(given: readonly unknown[]): AbortSignal | undefined {
  return given.map((one) => (one as WriteOptions | undefined)?.signal).find((signal) => signal instanceof AbortSignal);
}

/** The arguments with other options, wherever those are; without options where there were none. */
export function withOptions(given: readonly unknown[], change: (options: WriteOptions) => object): unknown[] {
  const isOptions = (one: unknown) =>
    typeof one === 'object' && one !== null && ('signal' in one || 'operationId' in one);
  return given.map((one) => (isOptions(one) ? { ...(one as object), ...change(one as WriteOptions) } : one));
}

export function again(store: TestedPool, verb: string, given: readonly unknown[]): Promise<unknown> {
  return (store[verb as Verb] as (...all: unknown[]) => Promise<unknown>).apply(store, [...given]);
}

/** What a verb answers when it does nothing. */
export const outcomeOf = (verb: string): unknown => (verb === 'confirm' || verb === 'rollback' ? { kind: 'gap' } : []);
