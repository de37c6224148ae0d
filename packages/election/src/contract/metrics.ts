import type { LossReason } from './events.ts';

/** Counters since the election was created. Times are in milliseconds. */
export interface ElectionMetrics {
  readonly campaigns: number;
  readonly wins: number;
  readonly losses: Readonly<Record<LossReason, number>>;
  readonly renewals: number;
  readonly renewalFailures: number;
  readonly forcedTakeovers: number;
  readonly identityConflicts: number;
  /** Number of store calls that failed or had no answer in time. */
  readonly storeErrors: number;
  /** How long the last renewal took; `null` before the first. */
  readonly lastRenewalMs: number | null;
  /** How long this node has led, over all its leaderships. */
  readonly ledMs: number;
  readonly term: number;
  readonly isLeader: boolean;
}
