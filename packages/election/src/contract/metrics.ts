import type { LossReason } from './events.ts';

/** Counts since the election was made; times in milliseconds. */
export interface ElectionMetrics {
  readonly campaigns: number;
  readonly wins: number;
  readonly losses: Readonly<Record<LossReason, number>>;
  readonly renewals: number;
  readonly renewalFailures: number;
  readonly forcedTakeovers: number;
  readonly identityConflicts: number;
  /** Calls of the store that got no answer. */
  readonly storeErrors: number;
  /** How long the last renewal took; `null` before the first. */
  readonly lastRenewalMs: number | null;
  /** How long this node has led in all. */
  readonly ledMs: number;
  readonly term: number;
  readonly isLeader: boolean;
}
