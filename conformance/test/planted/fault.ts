import type { Capabilities, MempoolStore, OpenOptions, Ordering } from 'mempool-core';
import type { LeaseStore } from 'mempool-election';

/** Where a faulty store stands. */
export interface OrderKey {
  readonly path: string;
  /** The pool was there before this open. */
  readonly reopened: boolean;
}

/** One fault in a store that is otherwise right, of the kind that only a crash, another node or another pool shows. */
export interface Fault {
  readonly id: string;
  /** The cases that must notice it. */
  readonly kills: readonly string[];
  /** Those of them that wait for what never comes: the end of their time is how they notice it. */
  readonly hangs?: readonly string[];
  readonly capabilities?: Partial<Capabilities>;
  /** The pools that have the fault; default: all. */
  readonly ordering?: Ordering;
  /** The name that it takes the pool's for. */
  pool?(name: string): string;
  /** Another file than that of the pool. */
  path?(path: string): string;
  /** What happens to the file of an existing pool before it is opened: statements. */
  readonly sabotage?: string;
  options?(options: OpenOptions, place: OrderKey): OpenOptions;
  plant?(store: MempoolStore, place: OrderKey): Partial<MempoolStore> | Promise<Partial<MempoolStore>>;
  leases?(store: LeaseStore, place: OrderKey): Partial<LeaseStore>;
}

/** Long enough for a kill or another node to come between. */
export function moment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 3));
}
