import type { Capabilities, MempoolStore } from 'mempool-core';
import type { Bare } from '../limits/limit.ts';
import type { Stored } from './stored.ts';

/** What a cost is counted by. */
export type Per = 'transaction' | 'block' | 'rollback' | 'entry' | 'event' | 'restart' | 'reap' | 'sweep';

/** One turn: what is timed, how many units it has, and how the pool comes back to what it was. */
export interface Turn {
  readonly count: number;
  run(): unknown;
  undo?(): unknown;
}

/** One pool of a subject while it is measured. */
export interface BenchPool {
  readonly stored: Stored;
  readonly store: MempoolStore;
  /** Another node on the same pool. */
  second(): Promise<MempoolStore>;
  reopen(): Promise<void>;
}

export interface BarePool {
  readonly stored: Stored;
  readonly bare: Bare;
}

export interface Workload {
  readonly id: string;
  readonly title: string;
  readonly per: Per;
  /** What `n` transactions are before the workload begins. */
  readonly given: 'pending' | 'inflight' | 'logged';
  readonly needs?: readonly (keyof Capabilities)[];
  ours(pool: BenchPool): Promise<Turn> | Turn;
  limit(pool: BarePool): Promise<Turn> | Turn;
}
