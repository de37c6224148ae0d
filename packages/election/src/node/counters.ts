import type { LossReason } from '../contract/events.ts';
import type { ElectionMetrics } from '../contract/metrics.ts';
import type { LeaderSession } from './leader-session.ts';

/** The counts behind `metrics`. */
export class Counters {
  campaigns = 0;
  wins = 0;
  readonly losses: Record<LossReason, number> = {
    resigned: 0,
    stopped: 0,
    expired: 0,
    taken: 0,
    'no-progress': 0,
    conflict: 0,
  };
  renewals = 0;
  renewalFailures = 0;
  forcedTakeovers = 0;
  identityConflicts = 0;
  storeErrors = 0;
  lastRenewalMs: number | null = null;
  ledMs = 0;

  lost(reason: LossReason, ledMs: number): void {
    this.losses[reason] += 1;
    this.ledMs += ledMs;
  }

  read(term: number, session: LeaderSession | null): ElectionMetrics {
    const { losses, ledMs, ...counts } = this;
    const isLeader = session?.isLeader() ?? false;
    return { ...counts, losses: { ...losses }, ledMs: ledMs + (session?.ledMs ?? 0), term, isLeader };
  }
}
