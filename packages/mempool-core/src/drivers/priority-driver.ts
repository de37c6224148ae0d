import {
  type Awaitable,
  after,
  type ChainContext,
  type PayloadContext,
  type ReadContext,
  type WriteContext,
} from '../contract/call-options.ts';
import type { DriverOptions, StoreDriver } from '../contract/driver.ts';
import type { DriverGossipPage, DriverPage } from '../contract/driver-page.ts';
import { invalid } from '../contract/errors.ts';
import { noFacts } from '../contract/lifecycle.ts';
import { defaultInflightTtlMs } from '../contract/options.ts';
import type { CheckedCallTime, CheckedSubmission, PriorityVerbs, ReceiveCall } from '../contract/pool-driver.ts';
import type { TakenCandidate } from '../contract/pool-verbs.ts';
import type { ReceiveOutcome } from '../contract/store.ts';
import type { Transaction } from '../contract/transaction.ts';
import { defaultVerdict } from '../contract/verdict.ts';
import { admitStep } from '../priority/admission.ts';
import { confirmPoolStep, rollbackPoolStep } from '../priority/block-step.ts';
import { senderPage, tagPage } from '../priority/lookup.ts';
import { dropPoolStep, dropSenderStep, movePoolStep, reviseStep } from '../priority/pool-step.ts';
import { PriorityCall } from '../priority/priority-call.ts';
import type { PriorityPool } from '../priority/priority-pool.ts';
import {
  bestOf,
  claimedBy,
  type GossipChoice,
  gossipAfter,
  gossipWithoutPayloads,
  parkedAfter,
  readyOf,
  reapFrom,
  staleIn,
} from '../priority/selection.ts';
import type { Planning } from '../priority/step-builder.ts';
import { type CallMoment, takenOf } from '../rules/call-plan.ts';
import { callTimeOf } from '../rules/pool-clock.ts';
import { guardOf, type Step } from '../rules/step.ts';
import { callVerbs, noTime } from './call-verbs.ts';
import type { FencedOutcome } from './memory-driver.ts';

/** Plans one call on a pool. `nowMs` is the time of the pool's clock in milliseconds since 1970. */
export type Plan<T> = (pool: Planning, nowMs: number) => Step<T>;

/**
 * The storage of a priority pool, which each backend implements. It brings the pool in memory up to date, stores steps
 * and fetches records. `priorityDriver` implements the verbs on it.
 */
export interface PriorityStorage {
  /** Calls `read` with the current pool, which includes the commits of other nodes. */
  read<T>(context: ReadContext, read: (pool: PriorityPool) => T): Awaitable<T>;
  /**
   * Plans on the current pool and stores the whole step or nothing. Returns the recorded outcome if the operation id is
   * known (X2). A step without events, operation id and change of the pool need not be stored.
   */
  write<T>(verb: string, context: WriteContext, plan: Plan<T>): Awaitable<T>;
  /** Does the same as `write`, but only under the live lease of the pool's election (X6). */
  writeUnderLease<T>(verb: string, context: ChainContext, plan: Plan<T>): Awaitable<T | FencedOutcome>;
  /** Returns the live records of the hashes that `choose` returns, by seq, as one page that begins after a seq (O6, M2). */
  stored(context: ReadContext, after: number, choose: (pool: PriorityPool) => readonly string[]): Awaitable<DriverPage>;
  /** Returns the transactions with payloads, in the order of the hashes; `null` for one that is not live, or damaged. */
  bodies(context: PayloadContext, hashes: readonly string[]): Awaitable<(Transaction | null)[]>;
}

/** The options that the verbs of a priority pool need. */
export type PriorityOptions = Pick<DriverOptions, 'thresholds'> & Partial<Pick<DriverOptions, 'inflightTtlMs'>>;

type PlannedVerbs = Pick<
  StoreDriver,
  'receive' | 'move' | 'drop' | 'confirm' | 'rollback' | 'peekPending' | 'usage' | 'payloads'
>;

/** Returns the verbs of a priority pool that plan on it or read its index. The other verbs read records, as in any pool. */
export function priorityDriver(
  storage: PriorityStorage,
  { thresholds, inflightTtlMs = defaultInflightTtlMs }: PriorityOptions,
): PlannedVerbs & Omit<PriorityVerbs, 'dumpPool'> {
  return {
    ...receiving(storage, thresholds),
    move: (verb, hashes, context) =>
      storage.write(verb, context, (pool, nowMs) => movePoolStep(pool, nowMs, verb, hashes, guardOf(context, nowMs))),
    drop: (hashes, reason, context) =>
      storage.write('drop', context, (pool, nowMs) => dropPoolStep(pool, nowMs, hashes, reason, context)),
    confirm: (block, context) =>
      storage.writeUnderLease('confirm', context, (pool, nowMs) => confirmPoolStep(pool, nowMs, block, context.lease)),
    rollback: (point, context) =>
      storage.writeUnderLease('rollback', context, (pool, nowMs) =>
        rollbackPoolStep(pool, nowMs, point, context.lease),
      ),
    ...callVerbs({
      write: (verb, given, context, plan) =>
        storage.write(verb, context, (pool, nowMs) => plan(...callAt(pool, nowMs, given))),
      inflightTtlMs,
      claimed: (claimId, context) => storage.read(context, (pool) => takenUnder(pool, claimId)),
    }),
    revise: (revisions, moment, context) =>
      storage.write('revise', context, (pool, nowMs) => reviseStep(pool, revisions, momentIn(pool, nowMs, moment))),
    reap: (budget, context) => storage.read(context, ({ index }) => reapFrom(index, budget)),
    best: (from, limit, context) => storage.read(context, ({ index }) => bestOf(index, from, limit)),
    ...lookups(storage),
    usage: (context) => storage.read(context, (pool) => pool.usage()),
    since: (query, context) => {
      const choice = storage.read(context, (pool) => gossipAfter(pool, query));
      return after(choice, (chosen) =>
        query.hashesOnly ? gossipWithoutPayloads(chosen) : withPayloads(storage, chosen, context),
      );
    },
    peekPending: (from, limit, context) =>
      storage.stored(context, from, ({ index, memory }) => readyOf(index, memory.pendingAfter(from), limit)),
    peekParked: (from, limit, context) => storage.stored(context, from, ({ index }) => parkedAfter(index, from, limit)),
    payloads: (hashes, context) => storage.bodies(context, hashes),
  };
}

/** The plan of a call of `receive`. */
export function receivePlan({ submissions, moment, thresholds }: ReceiveCall): Plan<ReceiveOutcome[]> {
  return (pool, nowMs) => admitStep(pool, submissions, momentIn(pool, nowMs, moment), thresholds);
}

/** The verbs that take transactions in. */
function receiving(
  storage: PriorityStorage,
  thresholds: PriorityOptions['thresholds'],
): Pick<StoreDriver, 'receive'> & Pick<PriorityVerbs, 'admit'> {
  const admit = (submissions: readonly CheckedSubmission[], moment: CheckedCallTime, context: WriteContext) => {
    if (submissions.length === 0) return admitNothing(storage, context);
    return storage.write('receive', context, receivePlan({ submissions, moment, thresholds }));
  };
  return {
    receive: (transactions, context) => {
      const submissions = transactions.map((each) => ({ ...each, verdict: defaultVerdict, from: null }));
      return admit(submissions, noTime, context);
    },
    admit,
  };
}

/** X2: a `receive` of nothing looks whether its operation id is known, and records nothing. A rejected call does so. */
async function admitNothing(storage: PriorityStorage, context: WriteContext): Promise<ReceiveOutcome[]> {
  const nothing = invalid('transactions', 'at least one transaction');
  try {
    return await storage.write<ReceiveOutcome[]>('receive', context, () => {
      throw nothing;
    });
  } catch (error) {
    if (error === nothing) return [];
    throw error;
  }
}

/** The verbs that look something up: stale verdicts, what a sender has, who names a tag (P11, P23). */
function lookups(storage: PriorityStorage): Pick<PriorityVerbs, 'stale' | 'bySender' | 'byTag' | 'dropBySender'> {
  return {
    stale: (height, limit, context) => storage.read(context, ({ index }) => staleIn(index, height, limit)),
    bySender: (sender, from, limit, context) =>
      storage.read(context, ({ index }) => senderPage(index, sender, from, limit)),
    byTag: (tag, limit, context) => storage.read(context, ({ index }) => tagPage(index, tag, limit)),
    dropBySender: (sender, reason, context) =>
      storage.write('dropBySender', context, (pool, nowMs) => dropSenderStep(pool, nowMs, sender, reason)),
  };
}

/** A call on the pool, and its time. */
function callAt(pool: Planning, poolNowMs: number, given: CheckedCallTime): [PriorityCall, CallMoment] {
  const moment = momentIn(pool, poolNowMs, given);
  return [new PriorityCall(pool, moment.nowMs), moment];
}

/** Returns the time of a call: the caller's, else the pool's. @throws `ERR_MEMPOOL_INVALID` if it is not a safe integer */
export function momentIn({ view }: Planning, poolNowMs: number, { now, height }: CheckedCallTime): CallMoment {
  const nowMs = Math.floor(callTimeOf(now, poolNowMs));
  if (!Number.isSafeInteger(nowMs)) throw invalid('now', 'a clock that returns a safe integer of milliseconds');
  return { nowMs, height: height ?? view.currentTip.tick };
}

/** The transactions under a claim, by seq. */
function takenUnder({ index, memory }: PriorityPool, claimId: string): TakenCandidate[] {
  return claimedBy(index, claimId).map((one) => takenOf(one, memory.txState(one.hash)?.facts ?? noFacts));
}

/** Adds the payloads, except of transactions that have left the pool or are damaged (M2). */
function withPayloads(
  storage: PriorityStorage,
  { items, ...rest }: GossipChoice,
  context: ReadContext,
): Awaitable<DriverGossipPage> {
  const bodies = storage.bodies(
    context,
    items.map(({ hash }) => hash),
  );
  return after(bodies, (found) => ({
    items: items.flatMap((item, i) => {
      const body = found[i];
      return body ? [{ ...item, payload: body.payload, payloadType: body.payloadType }] : [];
    }),
    ...rest,
  }));
}
