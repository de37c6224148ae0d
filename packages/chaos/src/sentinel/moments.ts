import type { ChainPoint } from 'mempool-core';

/** What a run writes down. `at` is in milliseconds of `performance.now`. */
export interface Moments {
  /** Writes that were answered, and the node that sent each. */
  readonly answered: { readonly node: string; readonly n: number; readonly at: number }[];
  /** Blocks that a node applied, as it was told. */
  readonly applied: { readonly node: string; readonly term: number; readonly point: ChainPoint; readonly at: number }[];
  /** What each reader was delivered: the numbers of transactions, or `lagged`. */
  readonly readings: ReadonlyMap<string, Reading[]>;
  readonly faults: FaultTimes[];
}

export interface Reading {
  readonly what: 'lagged' | number;
  readonly at: number;
}

/** One fault, from its beginning until the group was whole again. */
export interface FaultTimes {
  readonly kind: FaultKind;
  readonly at: number;
  /** When the Sentinels named the successor. */
  readonly switchedAt: number;
  readonly healedAt: number;
}

export const faultKinds = ['kill', 'freeze', 'partition', 'fail-over'] as const;

/** `kill -9`, SIGSTOP, a master that nobody reaches, and `SENTINEL FAILOVER`. */
export type FaultKind = (typeof faultKinds)[number];
