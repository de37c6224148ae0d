import { live, type Thresholds, type TxState } from '../contract/lifecycle.ts';
import type { Limits } from '../contract/limits.ts';
import type { ClaimRecord } from '../contract/pool-entry.ts';
import type { Candidate, Claim, Sweep } from '../contract/pool-verbs.ts';
import type { ReceiveOutcome } from '../contract/store.ts';
import type { Transaction } from '../contract/transaction.ts';
import { bySeq, planDrop, planMove, planReceive } from './change.ts';
import { fifoLimits } from './fifo-limits.ts';
import { countedInclusion, moveStep, type PoolView, type Step, stepOf } from './step.ts';

/** Transactions in one sweep at the most. */
export const maxSweep = 1_000;

/** What a lease is recorded as under its operation id: what is still under it is asked when it is asked again. */
export type ClaimOutcome = Omit<Claim, 'transactions'>;

/** All of them → Propagated, under the lease. */
export function takeStep(view: PoolView, found: readonly Candidate[], lease: ClaimRecord): Step<ClaimOutcome> {
  const { tick } = view.currentTip;
  const changes = found.map(({ hash, seq }) => planMove('markInflight', pendingState(hash, seq), tick));
  const outcome = { claimId: lease.id, owner: lease.owner, untilMs: lease.untilMs };
  const step = stepOf(
    view,
    outcome,
    changes.filter((change) => change !== null),
  );
  return found.length === 0 ? step : { ...step, fifo: { taken: lease, maxTxs: null } };
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
  const changes = Array.from(pending, ({ hash, seq }) => planDrop(pendingState(hash, seq), 'flushed', tick));
  const dropped = changes.filter((change) => change !== null);
  return stepOf(view, dropped.length, bySeq(dropped));
}

/** `maxTxs` as it is now. */
export function limitsStep(view: PoolView, named: Partial<Limits>, maxTxs: number): Step<Limits> {
  const outcome = { ...fifoLimits, maxTxs: named.maxTxs ?? maxTxs };
  const step = stepOf(view, outcome, []);
  return outcome.maxTxs === maxTxs ? step : { ...step, fifo: { taken: null, maxTxs: outcome.maxTxs } };
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
    const change = planReceive(view.txState(hash), hash, 0, tick, countedInclusion(view, hash, thresholds));
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

function pendingState(hash: string, seq: number): TxState {
  return live(hash, seq, 'Pending', 0);
}
