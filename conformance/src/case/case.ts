import type { Capabilities, MempoolStore, OpenOptions, Ordering } from 'mempool-core';
import type { Election, ElectionOptions, ElectionProvider, LeaseStore } from 'mempool-election';
import type { Random } from './random.ts';
import type { TaskInputs, TaskName } from './task.ts';

export type Level = 'MUST' | 'SHOULD' | 'MAY';

/**
 * What a case needs beyond the core profile. A subject without it is `unsupported` in that case; it has not failed.
 * - `volatile`: the backend is not durable. `unshared`: it is not shared.
 * - `election`: the subject has `leases`. `forget`, `damage`: it has the hook of that name.
 */
export type Need =
  | keyof Capabilities
  | 'volatile'
  | 'unshared'
  | 'child-process'
  | 'arrival-verbs'
  | 'election'
  | 'forget'
  | 'damage'
  | LeaseTrait;

/** What an election may offer. `hints`: messages that shorten a wait; `processes`: nodes in several processes. */
export type LeaseTrait = 'hints' | 'processes';

/**
 * A record to damage, so that it cannot be read back as it was written:
 * - `payload`, `entry`: of a transaction, its payload, or the entry that a priority pool keeps beside it.
 * - `log`: an entry of the log. `point`: the point of a block. `event`: an event.
 * - `operation`: the outcome under an operation id. `lease`: the lease of the pool's election. `meta`: the pool's counters.
 */
export type Damage =
  | { readonly kind: 'payload' | 'entry'; readonly hash: string }
  | { readonly kind: 'log'; readonly logSeq: number }
  | { readonly kind: 'point'; readonly tick: number }
  | { readonly kind: 'event'; readonly eventSeq: number }
  | { readonly kind: 'operation'; readonly operationId: string }
  | { readonly kind: 'lease' | 'meta' };

/** One promise of the contract as data: no runner, no framework. */
export interface ConformanceCase {
  /** Stable and unique: the rule's id, a slash and a short name, as in `L2/duplicate-live`. */
  readonly id: string;
  readonly level: Level;
  /** The rule of the contract that it shows, as in `L2`. */
  readonly rule: string;
  /** The rule in plain words. */
  readonly title: string;
  /** Version of the kit that brought the case. */
  readonly since: string;
  readonly needs?: readonly Need[];
  /** It shows what core's boundary does by itself, before or instead of a call to the backend. */
  readonly boundary?: true;
  /** The ordering of the pools that it opens without naming one. Default: `fifo`. See `onBothOrderings`. */
  readonly ordering?: Ordering | undefined;
  run(context: CaseContext): Promise<void>;
}

/** What a runner gives to a case. The case has a pool of its own and cleans up nothing. */
export interface CaseContext {
  /** Opens the case's pool; again: another node on it where the backend is shared. Closed by the runner, whatever happens. */
  open(options?: OpenOptions): Promise<MempoolStore>;
  /** Opens another, unrelated pool of the same subject, a new one at every call. */
  openOther(options?: OpenOptions): Promise<MempoolStore>;
  /** Opens a pool by that name, which begins or ends with one that `newPool` gave. */
  openNamed(pool: string, options?: OpenOptions): Promise<MempoolStore>;
  /** Opens the leases of the pool's election, or of another one; again: another node. Closed by the runner, whatever happens. */
  leases(options?: LeasesOptions & { readonly pool?: string | undefined }): Promise<LeaseStore>;
  /** The name of another, unrelated pool. */
  newPool(): string;
  /** One node of the pool's election, not started yet. Stopped by the runner, whatever happens. */
  elect(options?: ElectOptions): Election;
  /** Makes the election's store lose everything, like a server that restarts empty. */
  forget(): Promise<void>;
  /** Changes stored bytes of the case's pool. Nobody may have the pool open. */
  damage(record: Damage): Promise<void>;
  /** Seeded: the same seed gives the same case. */
  readonly random: Random;
  readonly capabilities: Capabilities;
  /** Factor on the usual number of kills, aborts and random rounds. */
  readonly effort: number;
  /** The pool's name, for a child process that opens it too. */
  readonly pool: string;
  /** Runs `task` of the kit's child program on this pool in a process of its own. Killed by the runner, whatever happens. */
  fork<T extends TaskName>(task: T, input: TaskInputs[T]): Promise<ChildProcessHandle>;
  /** Aborts when the case's time is up. */
  readonly signal: AbortSignal;
}

export interface ChildProcessHandle {
  readonly pid: number;
  /** The next message the child sent; rejects when it ended without one. */
  message(): Promise<unknown>;
  send(message: unknown): void;
  /** Stops it with SIGSTOP, wherever it is. */
  pause(): void;
  /** Lets it go on with SIGCONT. */
  resume(): void;
  /** Ends it with SIGKILL and waits until it is gone. */
  kill(): Promise<void>;
  /** The messages that nobody took, once it has ended. */
  remaining(): Promise<unknown[]>;
  /** Resolves when it has ended by itself with exit code 0; rejects when it ended otherwise. */
  exited(): Promise<void>;
}

export interface LeasesOptions {
  /** How long a lease lasts without a renewal; default 10,000. */
  readonly ttlMs?: number | undefined;
}

export interface ElectOptions extends ElectionOptions {
  /** Changes what the node's election is given as its store. */
  readonly through?: ((store: LeaseStore) => LeaseStore) | undefined;
}

/** What every subject has. */
interface NamedSubject {
  readonly name: string;
  /** `import.meta.url` of the file whose default export (or export `subject`) this is, for child processes. */
  readonly module: string;
  /** Removes what is left of a pool. */
  destroy?(pool: string): Promise<void>;
  /** Ids of cases that are known to fail, with the reason: they still run, and must fail. */
  readonly knownGaps?: Readonly<Record<string, string>>;
}

/** An election under test, on its own. */
export interface ElectionSubject extends NamedSubject {
  /** Opens the leases of the election `watcher` that guards a pool; the same name again is another node of that election. */
  leases(pool: string, options?: LeasesOptions): Promise<LeaseStore>;
  /** What it offers beyond the verbs; default: nothing. */
  readonly leaseTraits?: readonly LeaseTrait[];
  /** Makes the store lose what it keeps of the pool's election, term included, while it is in use. */
  forget?(pool: string): Promise<void>;
  /** Makes a node's election, where that is not the one of `mempool-election`. */
  elect?(provider: ElectionProvider, options: ElectionOptions): Election;
}

/** A backend under test, with the election that guards its pools if it checks leases. */
export interface Subject extends NamedSubject, Partial<ElectionSubject> {
  readonly name: string;
  readonly module: string;
  readonly backend: { readonly name: string; readonly capabilities: Capabilities };
  /** Opens a pool by name; the same name again is another node on it. */
  open(pool: string, options?: OpenOptions): Promise<MempoolStore>;
  /** Changes bytes of one record of a pool that nobody has open, where it is kept. */
  damage?(pool: string, record: Damage): Promise<void>;
  /** Its fifo pools reap, take, sweep, gossip and have `maxTxs` (P18); default: as `capabilities.priority`. */
  readonly fifoVerbs?: boolean;
  /**
   * `core`: `defineBackend` of the same copy of mempool-core makes its stores. Then cases of core's boundary do not run again,
   * and a store without that boundary fails the case that opens it. Default: every case runs.
   */
  readonly boundary?: 'core';
}
