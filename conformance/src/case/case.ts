import type { Capabilities, OpenOptions, Ordering } from 'mempool-core';
import type { Election, ElectionOptions, ElectionProvider, LeaseStore } from 'mempool-election';
import type { Ledger, LedgerOptions } from 'mempool-ledger';
import type { Random } from './random.ts';
import type { TaskInputs, TaskName } from './task.ts';
import type { OpenedPool, TestedPool } from './tested-pool.ts';

export type Level = 'MUST' | 'SHOULD' | 'MAY';

/**
 * A property of the subject that a case needs beyond the core profile. Without it the case is `unsupported`, not failed.
 * - `volatile`: the backend is not durable. `unshared`: it is not shared.
 * - `election`: the subject has `leases`. `ledger`, `forget`, `damage`: it has the hook of that name.
 * - `clock`: its ledgers take their time from the option `now`.
 * - `remove`: its backend can remove pools, and the subject has the hook of that name.
 * - `renew`: its pools can be made anew: they are not durable, or it has `renew` or `destroy`.
 */
export type Need =
  | keyof Capabilities
  | 'volatile'
  | 'unshared'
  | 'child-process'
  | 'arrival-verbs'
  | 'election'
  | 'ledger'
  | 'clock'
  | 'forget'
  | 'damage'
  | 'renew'
  | 'remove'
  | LeaseTrait;

/** An optional feature of an election: `hints` are messages that shorten a wait; `processes` means nodes in several processes. */
export type LeaseTrait = 'hints' | 'processes';

/**
 * A record to damage, so that a read cannot return the data that was written:
 * - `payload`, `entry`: of a transaction, its payload, or the entry that a priority pool keeps beside it.
 * - `state`: the stage of a transaction in flight.
 * - `log`: an entry of the log. `point`: the point of a block. `event`: an event.
 * - `record`: a record of the application, by its name.
 * - `limit`: the limits of a priority pool.
 * - `operation`: the outcome under an operation id. `lease`: the lease of the pool's election. `meta`: the pool's counters.
 */
export type Damage =
  | { readonly kind: 'payload' | 'entry' | 'state'; readonly hash: string }
  | { readonly kind: 'log'; readonly logSeq: number }
  | { readonly kind: 'point'; readonly tick: number }
  | { readonly kind: 'event'; readonly eventSeq: number }
  | { readonly kind: 'record'; readonly name: string }
  | { readonly kind: 'operation'; readonly operationId: string }
  | { readonly kind: 'lease' | 'limit' | 'meta' };

/** A test of one promise of the contract, as data that depends on no runner and no framework. */
export interface ConformanceCase {
  /** Stable and unique: the rule's id, a slash and a short name, as in `L2/duplicate-live`. */
  readonly id: string;
  readonly level: Level;
  /** The rule of the contract that the case tests, as in `L2`. */
  readonly rule: string;
  /** The rule in plain words. */
  readonly title: string;
  /** Version of the kit in which the case first appeared. */
  readonly since: string;
  readonly needs?: readonly Need[];
  /** Present if the case tests only core's boundary, which acts before the backend is called or instead of it. */
  readonly boundary?: true;
  /** The ordering of the pools that the case opens without naming one. Default: `fifo`. See `onBothOrderings`. */
  readonly ordering?: Ordering | undefined;
  run(context: CaseContext): Promise<void>;
}

/** The means that a runner gives to a case. Each case has its own pool; the runner cleans up. */
export interface CaseContext {
  /** Opens the case's pool. On a shared backend, a second call opens another node on it. The runner always closes it. */
  open(options?: OpenOptions): Promise<TestedPool>;
  /** Opens another, unrelated pool of the same subject. Each call opens a new one. */
  openOther(options?: OpenOptions): Promise<TestedPool>;
  /** Opens the pool of that name. The name must begin or end with a name from `newPool`. */
  openNamed(pool: string, options?: OpenOptions): Promise<TestedPool>;
  /** Opens the leases of the pool's election, or of another pool's. A second call opens another node. The runner always closes them. */
  leases(options?: LeasesOptions & { readonly pool?: string | undefined }): Promise<LeaseStore>;
  /** Returns the name of another, unrelated pool. */
  newPool(): string;
  /** Creates a node of the pool's election, which is not started yet. The runner always stops it. */
  elect(options?: ElectOptions): Election;
  /** Opens the case's ledger, or with a `name` from `newPool` another. A second call opens another handle of it. The runner always closes it. */
  ledger(options?: Partial<LedgerOptions>): Promise<Ledger>;
  /** Deletes all data of the election's store, as a server that restarts empty does. */
  forget(): Promise<void>;
  /** Changes stored bytes of the case's pool. The pool must not be open. */
  damage(record: Damage): Promise<void>;
  /**
   * Makes the case's pool anew, empty. Returns the same store if the subject can do that while the store is open; else the
   * store is closed, and a new one is returned.
   */
  renew(store: TestedPool): Promise<TestedPool>;
  /** Removes the case's pool, or the one of that name, with the backend's `remove`. The pool must not be open. */
  remove(pool?: string): Promise<boolean>;
  /** The case's random numbers: the same seed gives the same case. */
  readonly random: Random;
  readonly capabilities: Capabilities;
  /** Factor for the number of kills, aborts and random rounds; usually 1. */
  readonly effort: number;
  /** The pool's name, for a child process that opens it too. */
  readonly pool: string;
  /** Runs `task` of the kit's child program on this pool, in a separate process. The runner always kills it. */
  fork<T extends TaskName>(task: T, input: TaskInputs[T]): Promise<ChildProcessHandle>;
  /** Aborts when the case's time is up. */
  readonly signal: AbortSignal;
}

export interface ChildProcessHandle {
  readonly pid: number;
  /** Resolves with the next message from the child; rejects if the child has ended without sending one. */
  message(): Promise<unknown>;
  send(message: unknown): void;
  /** Stops the child with SIGSTOP, at any point of its work. */
  pause(): void;
  /** Continues the child with SIGCONT. */
  resume(): void;
  /** Ends the child with SIGKILL and waits until it has ended. */
  kill(): Promise<void>;
  /** Resolves with the unread messages, when the child has ended. */
  remaining(): Promise<unknown[]>;
  /** Resolves when the child has ended by itself with exit code 0; rejects if it ended in another way. */
  exited(): Promise<void>;
}

export interface LeasesOptions {
  /** How long a lease lasts without a renewal, in milliseconds; default 10,000. */
  readonly ttlMs?: number | undefined;
}

export interface ElectOptions extends ElectionOptions {
  /** Wraps the store that the node's election uses. */
  readonly through?: ((store: LeaseStore) => LeaseStore) | undefined;
}

/** The fields of every subject. */
interface NamedSubject {
  readonly name: string;
  /** `import.meta.url` of the file whose default export (or export `subject`) this is, for child processes. */
  readonly module: string;
  /** Removes all stored data of a pool. */
  destroy?(pool: string): Promise<void>;
  /** Ids of cases that are known to fail, each with the reason. They still run, and must fail. */
  readonly knownGaps?: Readonly<Record<string, string>>;
}

/** An election under test, without pools. */
export interface ElectionSubject extends NamedSubject {
  /** Opens the leases of the election `watcher` that guards a pool. A second call with the same name opens another node. */
  leases(pool: string, options?: LeasesOptions): Promise<LeaseStore>;
  /** Features that the election offers beyond the verbs; default: none. */
  readonly leaseTraits?: readonly LeaseTrait[];
  /** Deletes all data of the pool's election, including the term, while the store is in use. */
  forget?(pool: string): Promise<void>;
  /** Creates a node's election, if the subject does not use that of `mempool-election`. */
  elect?(provider: ElectionProvider, options: ElectionOptions): Election;
}

/**
 * A feature of a ledger's backend. `durable` means that a ledger outlives its handles, `shared` that all handles of one name are one
 * ledger, `clock` that its time is the option `now`.
 */
export type LedgerTrait = 'durable' | 'shared' | 'clock';

/** A ledger's backend under test. */
export interface LedgerSubject extends Omit<NamedSubject, 'module'> {
  /** Opens the ledger of that name with `openLedger`, which receives all options. */
  ledger(options: LedgerOptions & { readonly name: string }): Promise<Ledger>;
  /** The features of the ledger's backend; default none. */
  readonly ledgerTraits?: readonly LedgerTrait[];
}

/** A backend under test, with the election that guards its pools if it checks leases. */
export interface Subject extends NamedSubject, Partial<ElectionSubject>, Partial<LedgerSubject> {
  readonly name: string;
  readonly module: string;
  readonly backend: { readonly name: string; readonly capabilities: Capabilities };
  /** Opens a pool by name. A second call with the same name opens another node on it. */
  open(pool: string, options?: OpenOptions): Promise<OpenedPool>;
  /** Removes all data of the pool while it is open, as `FLUSHALL` does. The next call makes the pool anew. */
  renew?(pool: string): Promise<void>;
  /** Calls the backend's `remove` for the pool (D4). The pool is not open. */
  remove?(pool: string): Promise<boolean>;
  /** Changes stored bytes of one record. The pool is not open. */
  damage?(pool: string, record: Damage): Promise<void>;
  /** True if its fifo pools have the optional verbs and `maxTxs` (P18); default: the value of `capabilities.priority`. */
  readonly fifoVerbs?: boolean;
  /**
   * Set it to `core` if `defineBackend` of the same copy of mempool-core makes the subject's stores. Then cases of core's boundary
   * do not run again, and a store without that boundary fails the case that opens it. Default: every case runs.
   */
  readonly boundary?: 'core';
}
