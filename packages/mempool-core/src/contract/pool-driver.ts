import type { Awaitable, PayloadContext, ReadContext, WriteContext } from './call-options.ts';
import type { DriverGossipPage, DriverPage } from './driver-page.ts';
import type { PoolDump } from './dump.ts';
import type { Thresholds } from './lifecycle.ts';
import type { Limits } from './limits.ts';
import type { OrderKey } from './order-key.ts';
import type * as verbs from './pool-verbs.ts';
import type { ReceiveOutcome } from './store.ts';
import type { Transaction } from './transaction.ts';
import type { CheckedVerdict, Refusal } from './verdict.ts';

/** A submission after the checks. The backend owns the payload. */
export interface CheckedSubmission extends Transaction {
  readonly verdict: CheckedVerdict;
  readonly from: string | null;
}

/** The time and height of a call as the caller gave them; `null` if the caller gave none. */
export interface CheckedCallTime {
  readonly now: number | null;
  readonly height: number | null;
}

/** A call of `receive` on a priority pool. */
export interface ReceiveCall {
  readonly submissions: readonly CheckedSubmission[];
  readonly moment: CheckedCallTime;
  readonly thresholds: Thresholds;
}

/** A budget after the checks. `Infinity` means no limit. */
export interface CheckedBudget {
  readonly maxBytes: number;
  readonly maxGas: number;
  readonly maxTxs: number;
  readonly skip: number;
  readonly overheadBytes: number;
}

/** The arguments of `take` after the checks. */
export interface CheckedTake {
  readonly budget: CheckedBudget;
  /** The operation id: given by the caller, else generated. */
  readonly claimId: string;
  readonly owner: string;
  readonly claimMs: number;
}

/** The arguments of `sweep` after the checks. */
export interface CheckedSweep extends CheckedCallTime {
  /** Also drop transactions until the limits hold. */
  readonly overLimits: boolean;
}

/** The arguments of `extendClaim` after the checks. */
export interface CheckedExtension {
  readonly claimId: string;
  readonly claimMs: number;
}

/** The arguments of `since` after the checks. */
export interface CheckedGossipQuery {
  readonly after: number;
  readonly limit: number;
  readonly except: string | null;
  readonly hashesOnly: boolean;
}

/** One revision after the checks. */
export interface CheckedRevision {
  readonly hash: string;
  readonly version: number;
  readonly answer: CheckedVerdict | Refusal;
}

/**
 * The optional verbs of a driver. A driver leaves out those that its pool cannot do. A call of a missing verb rejects with
 * `ERR_MEMPOOL_UNSUPPORTED`. `admit` is the `receive` of a priority pool.
 */
export interface PriorityVerbs {
  admit(
    submissions: readonly CheckedSubmission[],
    moment: CheckedCallTime,
    context: WriteContext,
  ): Awaitable<ReceiveOutcome[]>;
  reap(budget: CheckedBudget, context: ReadContext): Awaitable<verbs.Candidate[]>;
  best(after: OrderKey | null, limit: number, context: ReadContext): Awaitable<verbs.RankedCandidate[]>;
  take(take: CheckedTake, moment: CheckedCallTime, context: WriteContext): Awaitable<verbs.Claim>;
  extendClaim(
    extension: CheckedExtension,
    moment: CheckedCallTime,
    context: WriteContext,
  ): Awaitable<verbs.ExtendOutcome>;
  sweep(sweep: CheckedSweep, context: WriteContext): Awaitable<verbs.Sweep>;
  since(query: CheckedGossipQuery, context: ReadContext): Awaitable<DriverGossipPage>;
  payloads(hashes: readonly string[], context: PayloadContext): Awaitable<(Transaction | null)[]>;
  peekParked(after: number, limit: number, context: ReadContext): Awaitable<DriverPage>;
  stale(height: number, limit: number, context: ReadContext): Awaitable<verbs.StaleTransaction[]>;
  /** Returns a page of the sender's live transactions (P23). `after` is the key before the page; '' for the first page. */
  bySender(sender: string, after: string, limit: number, context: ReadContext): Awaitable<verbs.SenderPage>;
  byTag(tag: string, limit: number, context: ReadContext): Awaitable<verbs.TagPage>;
  dropBySender(sender: string, reason: string, context: WriteContext): Awaitable<verbs.SenderDrop>;
  revise(
    revisions: readonly CheckedRevision[],
    moment: CheckedCallTime,
    context: WriteContext,
  ): Awaitable<verbs.ReviseOutcome[]>;
  flush(context: WriteContext): Awaitable<number>;
  setLimits(limits: Partial<Limits>, context: WriteContext): Awaitable<Limits>;
  /** For tests: returns the whole state. Without it, `poolState` reads the pages of an export. */
  dumpPool(context: ReadContext): Awaitable<PoolDump>;
}
