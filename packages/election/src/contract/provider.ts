import type { ElectionClock } from './clock.ts';
import type { LeaseStore } from './lease-store.ts';

/** The options of an election that every provider's `open` receives. */
export interface LeaseStoreOptions {
  /** Name of the election, checked. */
  readonly name: string;
  /** How long a lease lasts, in milliseconds. */
  readonly ttlMs: number;
  /** The time after which a verb without an answer rejects, in milliseconds. */
  readonly commandTimeoutMs: number;
  /** The clock of the node. */
  readonly clock: ElectionClock;
  /** Takes the messages of the store. */
  readonly log: (
    level: 'debug' | 'info' | 'warn' | 'error',
    message: string,
    fields?: Readonly<Record<string, unknown>>,
  ) => void;
}

/** A backend for elections. `Own` is the type of its own options, in addition to those of every election. */
export interface ElectionProvider<Own extends object = object> {
  /** Its name in a configuration, such as `redis`. */
  readonly type: string;
  /** The names of its own options. Other options are refused. If this field is absent, the provider checks the names itself. */
  readonly options?: { readonly [Name in keyof Own]-?: true };
  /** Opens a store for one election and node. @throws `ERR_ELECTION_OPTION`, `ERR_ELECTION_UNAVAILABLE`, `ERR_ELECTION_REFUSED` */
  open(options: LeaseStoreOptions & Own): Promise<LeaseStore>;
}
