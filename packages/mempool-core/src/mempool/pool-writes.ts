import {
  checkChainWrite,
  checkHash,
  checkHashes,
  checkPolicy,
  checkRead,
  checkReason,
  checkTarget,
  checkWrite,
  maxCallTransactions,
  ownBlock,
} from '../boundary/arguments.ts';
import { asChecked } from '../boundary/checked-once.ts';
import { checkLimits } from '../boundary/open-options.ts';
import { type CallNames, callNames } from '../boundary/option-names.ts';
import {
  checkBudget,
  checkExtension,
  checkGuard,
  checkRevisions,
  checkSweep,
  checkTake,
} from '../boundary/pool-arguments.ts';
import { checkName } from '../boundary/verdicts.ts';
import type { ChainOptions, DropOptions, ReadOptions, ReleaseOptions, WriteOptions } from '../contract/call-options.ts';
import { type DropReason, readReason } from '../contract/drop-reason.ts';
import type { MoveVerb } from '../contract/lifecycle.ts';
import type { Limits } from '../contract/limits.ts';
import type * as verbs from '../contract/pool-verbs.ts';
import type * as store from '../contract/store.ts';
import type { TransactionStatus } from '../contract/transaction.ts';
import { type BatchedVerb, batchedDrop, batchedMove, batchedStatus, type Guard } from './call-list.ts';
import { callTime, type ResolvedMempoolOptions } from './mempool-options.ts';
import type { CallTrace } from './observer.ts';
import { noteSize, type PoolCalls } from './pool-calls.ts';

type Which = string | readonly string[];
type Moved = Promise<boolean | string[]>;
type Trace = CallTrace | null;

/**
 * The writes of a `Mempool`, except submissions. They wait in the queue. Calls for one transaction share store calls; each
 * other call has its own. Arguments are checked and copied before the first `await` (M1).
 */
export class PoolWrites {
  readonly #calls: PoolCalls;
  readonly #options: ResolvedMempoolOptions;
  readonly #status: BatchedVerb<string, TransactionStatus>;
  readonly #moves: Readonly<Record<MoveVerb, BatchedVerb<string, boolean>>>;
  readonly #wake: () => void;

  /** `wake` is called after a change that writes no event. */
  constructor(calls: PoolCalls, options: ResolvedMempoolOptions, wake: () => void) {
    this.#calls = calls;
    this.#options = options;
    this.#wake = wake;
    this.#status = batchedStatus(calls.store);
    this.#moves = {
      markInflight: batchedMove(calls.store, 'markInflight'),
      markAcknowledged: batchedMove(calls.store, 'markAcknowledged'),
      release: batchedMove(calls.store, 'release'),
    };
  }

  async status(hash: string, options?: ReadOptions, trace: Trace = null): Promise<TransactionStatus> {
    return this.#single(this.#status, hash, checkRead(options), trace);
  }

  async move(verb: MoveVerb, which: Which, options: ReleaseOptions | undefined, trace: Trace): Moved {
    const context = checkWrite(options, guardNames[verb]);
    const guard = checkGuard(options);
    if (typeof which === 'string') return this.#single(this.#lane(verb, guard), which, context, trace);
    const hashes = listed(which, trace);
    return this.#calls.whole(context, (on, to) => on[verb](hashes, to), guard);
  }

  async drop(which: Which, reason: DropReason, options: DropOptions | undefined, trace: Trace): Moved {
    const context = checkWrite(options, callNames.drop);
    const guard = checkGuard(options);
    const why = readReason(checkReason(reason));
    if (typeof which === 'string')
      return this.#single(batchedDrop(this.#calls.store, why, guard), which, context, trace);
    const hashes = listed(which, trace);
    return this.#calls.whole(context, (on, to) => on.drop(hashes, why, to), guard);
  }

  async confirm(
    block: store.Block,
    policy: store.Policy,
    options: ChainOptions | undefined,
  ): Promise<store.ConfirmOutcome> {
    const context = checkChainWrite(options);
    const thresholds = asChecked(checkPolicy(policy));
    const own = asChecked(ownBlock(block));
    return this.#calls.whole(context, (on, to) => on.confirm(own, thresholds, to));
  }

  async rollback(target: store.RollbackTarget, options: ChainOptions | undefined): Promise<store.RollbackOutcome> {
    const context = checkChainWrite(options);
    const point = checkTarget(target);
    const own = point === null ? 'origin' : asChecked(point);
    return this.#calls.whole(context, (on, to) => on.rollback(own, to));
  }

  async take(
    budget: verbs.Budget,
    options: verbs.TakeOptions | verbs.TakePayloadsOptions,
  ): Promise<verbs.Claim | verbs.ClaimWithPayloads> {
    const context = checkWrite(options, callNames.take);
    const claim = { ...checkTake(options), ...callTime(options, this.#options) } as verbs.TakeOptions;
    const room = asChecked(checkBudget(budget));
    const taken = await this.#calls.whole(context, (on, to) => on.take(room, to), claim);
    // P20: what it wakes writes no event.
    this.#wake();
    return taken;
  }

  async extendClaim(
    claimId: string,
    claimMs: number,
    options: verbs.ExtendOptions | undefined,
  ): Promise<verbs.ExtendOutcome> {
    const context = checkWrite(options, callNames.moment);
    const own = checkExtension(claimId, claimMs);
    const moment = callTime(options, this.#options);
    return this.#calls.whole(context, (on, to) => on.extendClaim(own.claimId, own.claimMs, to), moment);
  }

  async sweep(options: verbs.SweepOptions | undefined): Promise<verbs.Sweep> {
    const context = checkWrite(options, callNames.sweep);
    const { overLimits } = checkSweep(options);
    const targets = { ...callTime(options, this.#options), overLimits };
    const swept = await this.#calls.whole(context, (on, to) => on.sweep(to), targets);
    if (swept.woken.length > 0) this.#wake();
    return swept;
  }

  async revise(
    revisions: readonly verbs.Revision[],
    options: verbs.ReviseOptions | undefined,
    trace: Trace,
  ): Promise<verbs.ReviseOutcome[]> {
    const context = checkWrite(options, callNames.moment);
    const own = asChecked(checkRevisions(revisions));
    noteSize(trace, own.length);
    const moment = callTime(options, this.#options);
    const outcomes = await this.#calls.whole(context, (on, to) => on.revise(own, to), moment);
    // A revision that makes a transaction ready writes no event.
    this.#wake();
    return outcomes;
  }

  async dropBySender(sender: string, reason: DropReason, options: WriteOptions | undefined): Promise<verbs.SenderDrop> {
    const context = checkWrite(options);
    const [whose, why] = [checkName('sender', sender, 1), readReason(checkReason(reason))];
    return this.#calls.whole(context, (on, to) => on.dropBySender(whose, why, to));
  }

  async flush(options: WriteOptions | undefined): Promise<number> {
    return this.#calls.whole(checkWrite(options), (on, to) => on.flush(to));
  }

  async setLimits(limits: Partial<Limits>, options: WriteOptions | undefined): Promise<Limits> {
    const context = checkWrite(options);
    const own = asChecked(checkLimits(limits));
    return this.#calls.whole(context, (on, to) => on.setLimits(own, to));
  }

  #lane(verb: MoveVerb, guard: Guard): BatchedVerb<string, boolean> {
    const isFree = guard.claim === undefined && guard.notBeforeMs === undefined;
    return isFree ? this.#moves[verb] : batchedMove(this.#calls.store, verb, guard);
  }

  #single<Answer>(
    verb: BatchedVerb<string, Answer>,
    given: string,
    context: WriteOptions,
    trace: Trace,
  ): Promise<Answer> {
    const hash = checkHash('hash', given);
    return this.#calls.single(verb, { item: hash, hash, bytes: 0, trace }, context);
  }
}

/** A checked copy of the hashes of a call. */
function listed(which: readonly string[], trace: Trace): string[] {
  const hashes = asChecked(checkHashes('hashes', which, maxCallTransactions));
  noteSize(trace, hashes.length);
  return hashes;
}

const guardNames: Readonly<Record<MoveVerb, CallNames>> = {
  markInflight: callNames.write,
  markAcknowledged: callNames.claim,
  release: callNames.release,
};
