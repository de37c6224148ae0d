import { wrappedPool } from 'mempool-core/backend';
import type { TestedPool } from './tested-pool.ts';

/** The names of all methods of a store. */
export const storeVerbs: readonly Exclude<keyof TestedPool, 'name' | 'capabilities' | 'ordering'>[] = [
  'reap',
  'best',
  'take',
  'extendClaim',
  'sweep',
  'since',
  'payloads',
  'peekParked',
  'stale',
  'bySender',
  'byTag',
  'dropBySender',
  'revise',
  'flush',
  'setLimits',
  'export',
  'import',
  'getRecord',
  'putRecord',
  'listRecords',
  'receive',
  'hasPending',
  'peekPending',
  'markInflight',
  'markAcknowledged',
  'complete',
  'release',
  'drop',
  'findInflight',
  'peekInflight',
  'confirm',
  'rollback',
  'status',
  'dumpFinalized',
  'confirmed',
  'subscribe',
  'tip',
  'usage',
  'close',
  Symbol.asyncDispose,
];

export const leaseVerbs = [
  'campaign',
  'renew',
  'reinstate',
  'release',
  'observe',
  'heartbeat',
  'members',
  'onHint',
  'close',
] as const;

/** A store's or driver's verbs as plain functions, so that some of them can be replaced. */
export function verbsOf<T extends object, K extends keyof T>(whole: T, names: readonly K[]): Pick<T, K> {
  const entries = names.map((name) => {
    const verb = whole[name];
    // Not bound: `await using` takes no bound function on Node 24.
    return [name, typeof verb === 'function' ? (...given: unknown[]) => verb.apply(whole, given) : verb];
  });
  return Object.fromEntries([...entries, [wrappedPool, whole]]) as Pick<T, K>;
}
