import {
  type Block,
  type ClaimOptions,
  type ConfirmOutcome,
  type DropOptions,
  type DropReason,
  type KnownStage,
  MempoolError,
  type Ordering,
  type Policy,
  type ReceiveOutcome,
  type ReleaseOptions,
  type RollbackOutcome,
  type RollbackTarget,
  type StoreEvent,
  type Thresholds,
  type WriteOptions,
} from 'mempool-core';
import type { TxState } from '../life.ts';
import { dropCause, newTimes, returnToPending, sendOut } from '../life.ts';
import * as operations from '../operations.ts';
import * as pools from '../pool.ts';
import { admission } from './admission.ts';
import * as chain from './chain.ts';
import type * as e from './entry.ts';
import { wholeVerdict } from './entry.ts';
import { type Graph, type Member, providersOf } from './graph.ts';
import { candidate, ModelReader, reap } from './reader.ts';
import { revise, sweep, wake } from './revision.ts';
import * as states from './state.ts';

export interface PoolModelOptions extends Thresholds {
  readonly maxFinalized: number;
  readonly maxRollback: number;
  /** Default: `priority`. The limits of a fifo pool are `fifoLimits` with another `maxTxs`. */
  readonly ordering?: Ordering;
  readonly limits: e.Limits;
  /** The pool's clock. */
  readonly now: () => number;
  readonly inflightTtlMs?: number;
}

/** Time and height of a call, with defaults for what the caller left out. */
export interface CallTime {
  readonly now: number;
  readonly height: number;
}

const maxSources = 64;
const dayMs = 86_400_000;

/**
 * A pool, written as simply as possible: no derived value is stored, so every call walks over everything. It shares no code of a
 * rule with core or a backend. A fifo pool (P18) is one without verdicts, in which nothing is parked.
 */
export class PoolModel {
  readonly #options: PoolModelOptions;
  readonly state: states.PriorityState;

  constructor(options: PoolModelOptions) {
    this.#options = options;
    this.state = states.emptyState(options.ordering ?? 'priority', options.limits);
  }

  receive(submissions: readonly e.Submission[], options: e.ReceiveOptions = {}): ReceiveOutcome[] {
    if (submissions.length === 0) return operations.receivedNothing(this.state.pool.operations, options);
    return this.#step('receive', options, operations.bodiesOf(submissions), () => {
      const told = new Map<string, ReceiveOutcome>();
      const moment = this.#moment(options);
      return submissions.map((submission) => this.#receiveNext(submission, moment, told));
    });
  }

  markInflight(hashes: readonly string[], options?: WriteOptions): string[] {
    const ready = new Set(reap(states.graphOf(this.state), {}).map(({ hash }) => hash));
    return this.#each('markInflight', hashes, options, (txState) => {
      if (txState.stage !== 'Pending' || !ready.has(txState.hash)) return false;
      sendOut(txState, 'marked');
      return true;
    });
  }

  markAcknowledged(hashes: readonly string[], options?: ClaimOptions): string[] {
    return this.#each('markAcknowledged', hashes, options, (txState) => {
      if (!this.#isUnder(txState, options) || txState.stage !== 'Propagated') return false;
      Object.assign(txState, { stage: 'Acknowledged', cause: 'acknowledged' });
      return true;
    });
  }

  /** L15: with P12 as if a block had it that nothing undoes. */
  complete(hashes: readonly string[], options?: ClaimOptions): string[] {
    return this.#each('complete', hashes, options, (txState) => {
      if (!this.#isUnder(txState, options)) return false;
      if (txState.stage !== 'Propagated' && txState.stage !== 'Acknowledged') return false;
      Object.assign(txState, { stage: 'Finalized', cause: 'completed' });
      states.satisfy(this.state, states.entryOf(this.state, txState.hash).verdict.provides, 0);
      return true;
    });
  }

  release(hashes: readonly string[], options: ReleaseOptions = {}): string[] {
    const { notBeforeMs = 0 } = options;
    return this.#each('release', hashes, options, (txState) => {
      if (!this.#isUnder(txState, options)) return false;
      if (txState.stage !== 'Propagated' && txState.stage !== 'Acknowledged') return false;
      returnToPending(txState, 'released');
      if (notBeforeMs > this.#options.now()) txState.notBefore = notBeforeMs;
      return true;
    });
  }

  drop(hashes: readonly string[], reason: DropReason, options: DropOptions = {}): string[] {
    if (hashes.length === 0) return [];
    const end = (txState: TxState): boolean => {
      if (!this.#isUnder(txState, options) || !states.isLiving(txState) || txState.stage === 'Confirmed') return false;
      states.drop(txState, dropCause(reason), reason);
      return true;
    };
    if (options.descendants !== true) return this.#each('drop', hashes, options, end, reason);
    const given = [...new Set(hashes)];
    return this.#step('drop', options, [given, reason, options.claim ?? null, 'descendants'], () => {
      const named = given.map((hash) => this.state.pool.live.get(hash)).filter((txState) => txState !== undefined);
      const dropped = named.filter(end).map(({ hash }) => hash);
      const further: Member[] = [];
      for (let next = this.#dependentOfDropped(options); next !== undefined; next = this.#dependentOfDropped(options)) {
        states.drop(this.#txState(next.hash), dropCause(reason), reason);
        further.push(next);
      }
      return [...dropped, ...further.sort((a, b) => a.seq - b.seq).map(({ hash }) => hash)];
    });
  }

  #dependentOfDropped(options: ClaimOptions): Member | undefined {
    const graph = states.graphOf(this.state);
    const gone = [...this.state.pool.live.values()].filter(({ stage }) => stage === 'Dropped');
    const tags = gone.flatMap(({ hash }) => states.entryOf(this.state, hash).verdict.provides);
    const lost = tags.filter((tag) => !graph.satisfied.has(tag) && providersOf(graph, tag).length === 0);
    return graph.members.find(
      ({ hash, stage, verdict }) =>
        stage !== 'Confirmed' &&
        (stage === 'Pending' || this.#isUnder(this.#txState(hash), options)) &&
        verdict.requires.some((tag) => lost.includes(tag)),
    );
  }

  confirm(block: Block, policy: Policy = {}, options?: WriteOptions): ConfirmOutcome {
    const thresholds = { ...this.#options, ...policy };
    return this.#step('confirm', options, operations.blockArguments(block, policy), () =>
      chain.confirm(this.state, block, thresholds, this.#options.maxRollback),
    );
  }

  rollback(target: RollbackTarget, options?: WriteOptions): RollbackOutcome {
    const point = target === 'origin' ? null : target;
    return this.#step('rollback', options, [target], () => chain.rollback(this.state, point));
  }

  /** A repeat tells, by seq, what of it is still under the claim. */
  take(budget: e.Budget, options: e.TakeOptions): e.Claim {
    const { operationId: claimId = '', owner, claimMs } = options;
    const { maxBytes, maxGas, maxTxs, skip = 0, overheadBytes = 0 } = budget;
    const isRepeat = this.state.pool.operations.has(claimId);
    const args = [owner, claimMs, maxBytes, maxGas, maxTxs, skip, overheadBytes];
    const lot = this.#step('take', options, args, (): e.Claim => {
      const { now } = this.#moment(options);
      wake(this.state, now);
      const graph = states.graphOf(this.state);
      const taken = reap(graph, budget);
      const untilMs = now + claimMs;
      for (const { hash } of taken) {
        sendOut(this.#txState(hash), 'taken');
        states.entryOf(this.state, hash).claim = { id: claimId, owner, untilMs };
      }
      const transactions = taken.map((one) => {
        const { receivedAt, attempts } = this.#txState(one.hash).times;
        return { ...candidate(graph, one), receivedAt, attempts };
      });
      return { claimId, owner, untilMs, transactions };
    });
    if (!isRepeat) return lot;
    const isUnder = (hash: string): boolean => this.state.entries.get(hash)?.claim?.id === claimId;
    const graph = states.graphOf(this.state);
    const left = lot.transactions.filter(({ hash }) => isUnder(hash));
    const told = left.map((one) => ({ ...one, ...candidate(graph, memberOf(graph, one.hash)) }));
    return { ...lot, transactions: told.sort((a, b) => a.seq - b.seq) };
  }

  extendClaim(claimId: string, claimMs: number, options: e.ExtendOptions = {}): e.ExtendOutcome {
    return this.#step('extendClaim', options, [claimId, claimMs], (): e.ExtendOutcome => {
      const claims = [...this.state.entries.values()].flatMap(({ claim }) => (claim?.id === claimId ? claim : []));
      const [first] = claims;
      if (first === undefined) return { kind: 'ended' };
      const untilMs = Math.max(first.untilMs, this.#moment(options).now + claimMs);
      for (const entry of this.state.entries.values())
        if (entry.claim?.id === claimId) entry.claim = { ...entry.claim, untilMs };
      return { kind: 'extended', untilMs, held: claims.length };
    });
  }

  sweep(options: e.SweepOptions = {}): e.Sweep {
    const { overLimits = false } = options;
    const { inflightTtlMs = dayMs } = this.#options;
    return this.#step('sweep', options, [overLimits], () =>
      sweep(this.state, this.#moment(options), { overLimits, inflightTtlMs }),
    );
  }

  revise(revisions: readonly e.Revision[], options: e.ReceiveOptions = {}): e.ReviseOutcome[] {
    if (new Set(revisions.map(({ hash }) => hash)).size < revisions.length)
      throw new MempoolError('ERR_MEMPOOL_INVALID', 'a hash comes twice');
    if (revisions.length === 0) return [];
    const hashes = revisions.map(({ hash }) => hash);
    return this.#step('revise', options, hashes, () => revise(this.state, revisions, this.#moment(options).height));
  }

  flush(options?: WriteOptions): number {
    return this.#step('flush', options, [], () => {
      const waiting = [...this.state.pool.live.values()].filter(({ stage }) => stage === 'Pending');
      for (const txState of waiting) states.drop(txState, 'flushed');
      return waiting.length;
    });
  }

  dropBySender(sender: string, reason: DropReason, options?: WriteOptions): e.SenderDrop {
    return this.#step('dropBySender', options, [sender, reason], () => {
      const { members } = states.graphOf(this.state);
      const own = members.filter((one) => one.verdict.sender === sender && one.stage !== 'Confirmed');
      for (const { hash } of own) states.drop(this.#txState(hash), dropCause(reason), reason);
      return { dropped: own.map(({ hash }) => hash), more: false };
    });
  }

  setLimits(limits: Partial<e.Limits>, options?: WriteOptions): e.Limits {
    return this.#step('setLimits', options, Object.entries(limits).sort(), () => {
      this.state.limits = { ...this.state.limits, ...limits };
      return { ...this.state.limits };
    });
  }

  /** The events after that number; the model forgets none. */
  eventsAfter(after: number): readonly StoreEvent[] {
    return this.state.pool.events.slice(after);
  }

  /** Answers the reading verbs from the current state. */
  reader(): ModelReader {
    return new ModelReader(this.#options, this.state);
  }

  #moment({ now, height }: e.SweepOptions): CallTime {
    const poolNow = this.#options.now();
    return { now: Math.min(now ?? poolNow, poolNow), height: height ?? this.state.pool.chain.length };
  }

  /** One call: answered from the record of its operation id, or carried out and recorded. `args`: those that an id is bound to (X2). */
  #step<T>(verb: string, options: WriteOptions | undefined, args: readonly unknown[], run: () => T): T {
    const call = { id: options?.operationId, verb, args };
    const known = operations.recorded<T>(this.state.pool.operations, call);
    if (known !== null) return known.outcome;
    const before = states.lookBefore(this.state);
    const outcome = run();
    const { now: at } = this.#moment((options ?? {}) as e.SweepOptions);
    states.endCall(this.state, before, { ...this.#options, nowMs: this.#options.now(), callMs: at });
    operations.record(this.state.pool.operations, call, outcome);
    return outcome;
  }

  /** The named hashes that `change` changes; each is looked at once. */
  #each(
    verb: string,
    hashes: readonly string[],
    options: ClaimOptions | undefined,
    change: (txState: TxState) => boolean,
    ...more: readonly unknown[]
  ): string[] {
    if (hashes.length === 0) return [];
    return this.#step(verb, options, [[...new Set(hashes)], ...more, options?.claim ?? null], () => {
      const named = [...new Set(hashes)].map((hash) => this.state.pool.live.get(hash));
      return named.flatMap((txState) => (txState !== undefined && change(txState) ? [txState.hash] : []));
    });
  }

  /** P19. */
  #isUnder({ hash }: TxState, { claim }: ClaimOptions = {}): boolean {
    return claim === undefined || this.state.entries.get(hash)?.claim?.id === claim;
  }

  #isReady({ hash }: TxState): boolean {
    return reap(states.graphOf(this.state), {}).some((ready) => ready.hash === hash);
  }

  #txState(hash: string): TxState {
    const txState = this.state.pool.live.get(hash);
    if (txState === undefined) throw new Error(`the model has lost ${hash}`);
    return txState;
  }

  /** Steps 0 and 1, L2. */
  #receiveNext(submission: e.Submission, moment: CallTime, told: Map<string, ReceiveOutcome>): ReceiveOutcome {
    const { hash } = submission;
    const earlier = told.get(hash);
    const known = pools.currentLife(this.state.pool, hash);
    const isHeld = known !== undefined && known.stage !== 'Dropped';
    if (isHeld) this.#addSource(submission);
    if (earlier !== undefined) return again(earlier);
    const outcome: ReceiveOutcome = isHeld
      ? { kind: 'duplicate', hash, stage: known.stage as Exclude<KnownStage, 'Dropped'> }
      : this.#receiveNew(submission, moment);
    told.set(hash, outcome);
    return outcome;
  }

  #addSource({ hash, from }: e.Submission): void {
    const { sources } = states.entryOf(this.state, hash);
    if (from !== undefined && !sources.includes(from) && sources.length < maxSources) sources.push(from);
  }

  #receiveNew(submission: e.Submission, moment: CallTime): ReceiveOutcome {
    const { hash, payload } = submission;
    const verdict = wholeVerdict(submission.verdict);
    const seq = this.state.pool.lastSeq + 1;
    const confirmedBy = this.#blocksSince(hash);
    if (confirmedBy.length > 0) {
      this.#begin(
        submission,
        { hash, seq, stage: 'Confirmed', confirmedBy, agedBy: [], reason: null, cause: 'received', times: newTimes() },
        moment,
      );
      chain.dropConflicts(this.state, verdict.provides);
      return { kind: 'received', hash, seq, stage: 'Confirmed' };
    }
    const me: Member = {
      hash,
      seq,
      stage: 'Pending',
      bytes: payload.length,
      verdict,
      isHeld: false,
    };
    const answer = admission(states.graphOf(this.state), me, this.state.limits);
    if (answer.kind === 'refused')
      return this.state.ordering === 'fifo' ? { hash, kind: 'full' } : { hash, ...answer.refused };
    for (const replaced of answer.replaced) {
      const txState = this.#txState(replaced.hash);
      states.drop(txState, 'replaced');
      txState.replacedBy = hash;
    }
    this.#begin(
      submission,
      { hash, seq, stage: 'Pending', confirmedBy: [], agedBy: [], reason: null, cause: 'received', times: newTimes() },
      moment,
    );
    for (const evicted of answer.evicted) states.drop(this.#txState(evicted.hash), 'evicted');
    const stage = 'Pending';
    return this.#isReady(this.#txState(hash))
      ? { kind: 'received', hash, seq, stage }
      : { kind: 'received', hash, seq, stage, parked: true };
  }

  #begin(submission: e.Submission, txState: TxState, { now, height }: CallTime): void {
    const { hash, payload, payloadType = 0, verdict, from } = submission;
    const { pool, entries } = this.state;
    pool.lastSeq = txState.seq;
    pool.live.set(hash, txState);
    pool.bodies.set(hash, { payload: Uint8Array.from(payload), payloadType });
    entries.set(hash, {
      bytes: payload.length,
      verdict: wholeVerdict(verdict),
      sources: from === undefined ? [] : [from],
      version: 1,
      admittedAt: now,
      admittedHeight: height,
      checkedHeight: height,
      gossipSeq: 0,
      parkedAt: null,
      claim: null,
    });
  }

  /** L13: from the block that carried it to the tip, if that is one of the last `finalizeThreshold`. */
  #blocksSince(hash: string) {
    const { pool } = this.state;
    const inclusion = pool.inclusions.get(hash);
    const recent = pools.keptBlocks(pool).slice(-Math.max(1, this.#options.finalizeThreshold));
    return inclusion !== undefined && recent.includes(inclusion) ? recent.slice(recent.indexOf(inclusion)) : [];
  }
}

function memberOf({ members }: Graph, hash: string): Member {
  const member = members.find((one) => one.hash === hash);
  if (member === undefined) throw new Error(`the model has lost ${hash}`);
  return member;
}

function again(earlier: ReceiveOutcome): ReceiveOutcome {
  return earlier.kind === 'received' ? { kind: 'duplicate', hash: earlier.hash, stage: earlier.stage } : earlier;
}
