import { live, type Thresholds, type TxState } from '../contract/lifecycle.ts';
import type { Limits } from '../contract/limits.ts';
import type { CheckedBudget, CheckedGossipQuery } from '../contract/pool-driver.ts';
import type { ClaimRecord } from '../contract/pool-entry.ts';
import type { Candidate, Claim, GossipItem, GossipPage, Sweep } from '../contract/pool-verbs.ts';
import type { ReceiveOutcome } from '../contract/store.ts';
import type { Transaction } from '../contract/transaction.ts';
import { bySeq, planDrop, planMove, planReceive } from './change.ts';
import { countedInclusion, moveStep, type PoolView, type Step, stepOf } from './step.ts';

/** Transactions in one sweep at the most. */
export const maxSweep = 1_000;

/** What a claim is recorded as under its operation id: what is still under it is asked when it is asked again. */
export type ClaimOutcome = Omit<Claim, 'transactions'>;

/** All of them → Propagated, under the claim. */
export function takeStep(view: PoolView, found: readonly Candidate[], claim: ClaimRecord): Step<ClaimOutcome> {
  const { tick } = view.currentTip;
  const changes = found.map(({ hash, seq }) => planMove('markInflight', pendingState(hash, seq), tick));
  const outcome = { claimId: claim.id, owner: claim.owner, untilMs: claim.untilMs };
  const step = stepOf(
    view,
    outcome,
    changes.filter((change) => change !== null),
  );
  return found.length === 0 ? step : { ...step, fifo: { taken: claim, maxTxs: null } };
}

/** `ended`: hashes whose claim ended, in order, one more than `maxSweep` where there are more. */
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

/** What a pool in order of arrival holds at the most: nothing limits it but `maxTxs`, where that is set. */
export const fifoLimits: Limits = Object.freeze({
  maxTxs: Number.POSITIVE_INFINITY,
  maxBytes: Number.POSITIVE_INFINITY,
  maxTxGas: Number.POSITIVE_INFINITY,
  maxPerSender: Number.POSITIVE_INFINITY,
  maxParked: Number.POSITIVE_INFINITY,
  maxAncestors: Number.POSITIVE_INFINITY,
  maxDescendants: Number.POSITIVE_INFINITY,
  maxEvictions: 0,
  replacementBump: 0,
  ttlMs: Number.POSITIVE_INFINITY,
  ttlBlocks: Number.POSITIVE_INFINITY,
  eviction: 'none',
});

/** A transaction as a pool in order of arrival weighs it. */
export interface FifoEntry {
  readonly hash: string;
  readonly seq: number;
  /** Of the payload. */
  readonly bytes: number;
}

/** Such a pool knows no gas and no priorities. */
export function candidateOf({ hash, seq, bytes }: FifoEntry): Candidate {
  return { hash, seq, bytes, gas: 0, priority: 0n };
}

/** What fits of the Pending ones, which come by seq: up to the first misfit, or the first after `skip` of them. */
export function reapFifo(pending: Iterable<FifoEntry>, budget: CheckedBudget): Candidate[] {
  const { maxBytes, maxTxs, skip, overheadBytes } = budget;
  const found: Candidate[] = [];
  let [bytes, misfits] = [0, 0];
  if (maxTxs === 0) return found;
  for (const arrival of pending) {
    const size = arrival.bytes + overheadBytes;
    if (bytes + size > maxBytes) {
      misfits += 1;
      if (misfits > skip) break;
      continue;
    }
    bytes += size;
    found.push(candidateOf(arrival));
    if (found.length === maxTxs) break;
  }
  return found;
}

/** `body`: `null` where hashes alone were asked for. */
export function gossipItem({ hash, seq, bytes }: FifoEntry, body: Omit<Transaction, 'hash'> | null): GossipItem {
  const { payload, payloadType } = body ?? { payload: null, payloadType: null };
  return { hash, seq, gossipSeq: seq, bytes, gas: 0, priority: 0n, payload, payloadType };
}

/** What was looked at is what is handed out: nothing is kept back in such a pool. */
export function gossipPage(items: readonly GossipItem[], { after }: CheckedGossipQuery): GossipPage {
  return { items, next: items.at(-1)?.seq ?? after };
}
