import type { ElectionClock } from './clock.ts';
import type { LeaseStore } from './lease-store.ts';

/** What every provider's `open` is told of the election. */
export interface LeaseStoreOptions {
  /** Name of the election, checked. */
  readonly name: string;
  readonly ttlMs: number;
  /** A verb that has no answer after this time rejects. */
  readonly commandTimeoutMs: number;
  readonly clock: ElectionClock;
  readonly log: (
    level: 'debug' | 'info' | 'warn' | 'error',
    message: string,
    fields?: Readonly<Record<string, unknown>>,
  ) => void;
}

/** A backend of the election: a value with two members, or three. `Own`: options beyond those of every election. */
export interface ElectionProvider<Own extends object = object> {
  /** What a configuration names it by, such as `redis`. */
  readonly type: string;
  /** Names of the options beyond those of every election: others are refused. Left out: the provider looks after them itself. */
  readonly options?: { readonly [Name in keyof Own]-?: true };
  /** @throws `ERR_ELECTION_OPTION`, `ERR_ELECTION_UNAVAILABLE`, `ERR_ELECTION_REFUSED` */
  open(options: LeaseStoreOptions & Own): Promise<LeaseStore>;
}
