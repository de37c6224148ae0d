import { type Life, live, type Thresholds } from '../contract/lifecycle.ts';
import type { Limits } from '../contract/limits.ts';
import type { TakeLease } from '../contract/pool-entry.ts';
import type { Candidate, Lot, Sweep } from '../contract/pool-verbs.ts';
import type { ReceiveOutcome } from '../contract/store.ts';
import type { Transaction } from '../contract/transaction.ts';
import { bySeq, planDrop, planMove, planReceive } from './change.ts';
import { arrivalLimits } from './fifo-limits.ts';
import { countingSighting, moveStep, type PoolView, type Step, stepOf } from './step.ts';

/** Transactions in one sweep at the most. */
export const maxSweep = 1_000;

/** What a lease is recorded as under its operation id: what is still under it is asked when it is asked again. */
export type LotRecord = Omit<Lot, 'transactions'>;

/** All of them → Propagated, under the lease. */
export function takeStep(view: PoolView, found: readonly Candidate[], lease: TakeLease): Step<LotRecord> {
  const { tick } = view.currentTip;
  const changes = found.map(({ hash, seq }) => planMove('markInflight', pendingLife(hash, seq), tick));
  const outcome = { leaseId: lease.id, owner: lease.owner, untilMs: lease.untilMs };
  const step = stepOf(
    view,
    outcome,
    changes.filter((change) => change !== null),
  );
  return found.length === 0 ? step : { ...step, arrivals: { taken: lease, maxTxs: null } };
}

/** `ended`: hashes whose lease ended, in order, one more than `maxSweep` where there are more. */
export function sweepStep(view: PoolView, ended: readonly string[]): Step<Sweep> {
  const step = moveStep(view, 'release', ended.slice(0, maxSweep));
  const more = ended.length > maxSweep;
  return { ...step, outcome: { returned: step.outcome, expired: [], evicted: [], more } };
}

/** `pending`: all of them. */
export function flushStep(
  view: PoolView,
  pending: Iterable<{ readonly hash: string; readonly seq: number }>,
): Step<number> {
  const { tick } = view.currentTip;
  const changes = Array.from(pending, ({ hash, seq }) => planDrop(pendingLife(hash, seq), 'flushed', tick));
  const dropped = changes.filter((change) => change !== null);
  return stepOf(view, dropped.length, bySeq(dropped));
}

/** `maxTxs` as it is now. */
export function limitsStep(view: PoolView, named: Partial<Limits>, maxTxs: number): Step<Limits> {
  const outcome = { ...arrivalLimits, maxTxs: named.maxTxs ?? maxTxs };
  const step = stepOf(view, outcome, []);
  return outcome.maxTxs === maxTxs ? step : { ...step, arrivals: { taken: null, maxTxs: outcome.maxTxs } };
}

/** What `receive` takes in of a call where there is room for so many more. */
export interface Admission {
  readonly admitted: readonly Transaction[];
  /** The outcomes of all, of which those of the admitted ones are given. */
  outcomes(ofAdmitted: readonly ReceiveOutcome[]): ReceiveOutcome[];
}

/** Duplicates, and what the last blocks carried (L13), need no room. */
export function admissionOf(
  view: PoolView,
  transactions: readonly Transaction[],
  thresholds: Thresholds,
  room: number,
): Admission {
  const { tick } = view.currentTip;
  const fresh = new Set<string>();
  let left = Math.max(0, room);
  const fits = transactions.map(({ hash }) => {
    if (fresh.has(hash)) return true;
    const change = planReceive(view.life(hash), hash, 0, tick, countingSighting(view, hash, thresholds));
    const needed = change?.after.stage === 'Pending' ? 1 : 0;
    if (needed > left) return false;
    left -= needed;
    fresh.add(hash);
    return true;
  });
  return {
    admitted: transactions.filter((_, i) => fits[i]),
    outcomes(ofAdmitted) {
      const rest = ofAdmitted.values();
      return transactions.map(({ hash }, i) =>
        fits[i] ? (rest.next().value as ReceiveOutcome) : { kind: 'full', hash },
      );
    },
  };
}

function pendingLife(hash: string, seq: number): Life {
  return live(hash, seq, 'Pending', 0);
}
