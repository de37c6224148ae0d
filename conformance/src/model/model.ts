import type {
  Block,
  Cause,
  ChainPoint,
  ConfirmOutcome,
  DropReason,
  KnownStage,
  LogPage,
  LogQuery,
  PageQuery,
  Policy,
  ReceiveOutcome,
  RollbackOutcome,
  RollbackTarget,
  StoredTransaction,
  StoreEvent,
  Submission,
  Thresholds,
  TipAnswer,
  TipOptions,
  TransactionPage,
  TransactionStatus,
  Usage,
  WriteOptions,
} from 'mempool-core';
import {
  type AppliedBlock,
  applyBlock,
  dropCause,
  inFlight,
  newTimes,
  returnToPending,
  sendOut,
  settle,
  type TxState,
  undoBlocks,
} from './life.ts';
import * as operations from './operations.ts';
import * as pools from './pool.ts';

export interface ModelOptions extends Thresholds {
  readonly maxFinalized: number;
  readonly maxRollback: number;
  /** The pool's clock. Without it the model's events have no time. */
  readonly now?: (() => number) | undefined;
}

type MoveVerb = 'markInflight' | 'markAcknowledged' | 'complete' | 'release';

interface Move {
  readonly from: readonly KnownStage[];
  readonly to: KnownStage;
  readonly cause: Cause;
}

const moves: Readonly<Record<MoveVerb, Move>> = {
  markInflight: { from: ['Pending'], to: 'Propagated', cause: 'marked' },
  markAcknowledged: { from: ['Propagated'], to: 'Acknowledged', cause: 'acknowledged' },
  complete: { from: ['Propagated', 'Acknowledged'], to: 'Finalized', cause: 'completed' },
  release: { from: ['Propagated', 'Acknowledged'], to: 'Pending', cause: 'released' },
};

/**
 * A simple model of the contract: every verb walks over everything, counters are lists of blocks, events are the difference
 * between two states. It shares no code for the rules with core or a backend, so that it cannot share their faults.
 */
export class Model {
  readonly #options: ModelOptions;
  readonly #pool: pools.PoolState;

  constructor(options: ModelOptions, pool: pools.PoolState = pools.emptyPool()) {
    this.#options = options;
    this.#pool = pool;
  }

  copy(): Model {
    return new Model(this.#options, structuredClone(this.#pool));
  }

  receive(transactions: readonly Submission[], options?: WriteOptions): ReceiveOutcome[] {
    if (transactions.length === 0) return operations.receivedNothing(this.#pool.operations, options);
    return this.#step('receive', options, operations.bodiesOf(transactions), () =>
      transactions.map((transaction) => this.#receiveOne(transaction)),
    );
  }

  markInflight(hashes: readonly string[], options?: WriteOptions): string[] {
    return this.#move('markInflight', hashes, options);
  }

  markAcknowledged(hashes: readonly string[], options?: WriteOptions): string[] {
    return this.#move('markAcknowledged', hashes, options);
  }

  complete(hashes: readonly string[], options?: WriteOptions): string[] {
    return this.#move('complete', hashes, options);
  }

  release(hashes: readonly string[], options?: WriteOptions): string[] {
    return this.#move('release', hashes, options);
  }

  drop(hashes: readonly string[], reason: DropReason, options?: WriteOptions): string[] {
    if (hashes.length === 0) return [];
    return this.#step('drop', options, [[...new Set(hashes)], reason], () => {
      const chosen = this.#choose(hashes, ['Pending', 'Propagated', 'Acknowledged']);
      const cause = dropCause(reason);
      for (const txState of chosen) Object.assign(txState, { stage: 'Dropped', reason, cause, notBefore: undefined });
      return chosen.map(({ hash }) => hash);
    });
  }

  confirm(block: Block, policy: Policy = {}, options?: WriteOptions): ConfirmOutcome {
    return this.#step('confirm', options, operations.blockArguments(block, policy), () =>
      this.#confirm(block, { ...this.#options, ...policy }),
    );
  }

  rollback(target: RollbackTarget, options?: WriteOptions): RollbackOutcome {
    const point = target === 'origin' ? null : target;
    return this.#step('rollback', options, [target], () => this.#rollback(point));
  }

  hasPending(): boolean {
    return this.pending().length > 0;
  }

  peekPending(query?: PageQuery): TransactionPage {
    return pools.pageOf(this.pending(), query);
  }

  peekInflight(query?: PageQuery): TransactionPage {
    return pools.pageOf(this.#peek(inFlight), query);
  }

  /** Those to send, by seq. */
  pending(): StoredTransaction[] {
    return this.#peek(({ stage }) => stage === 'Pending');
  }

  findInflight(hashes: readonly string[]): (StoredTransaction | null)[] {
    const flying = this.#peek(inFlight);
    return hashes.map((wanted) => flying.find(({ hash }) => hash === wanted) ?? null);
  }

  status(hashes: readonly string[]): TransactionStatus[] {
    return hashes.map((hash) => pools.statusOf(this.#pool, hash));
  }

  dumpFinalized({ cursor: from, limit = 100 }: LogQuery = {}): LogPage {
    const cursor = pools.numberOf(from);
    const { log, lastLogSeq } = this.#pool;
    const oldest = log[0]?.logSeq ?? lastLogSeq + 1;
    const rest = log.filter(({ logSeq }) => logSeq >= cursor);
    const entries = rest.slice(0, limit).flatMap((entry) => pools.logEntry(this.#pool, entry));
    return {
      entries,
      cursor: pools.cursor('l', (entries.at(-1)?.logSeq ?? lastLogSeq) + 1),
      hasMore: rest.length > entries.length,
      missed: cursor === 0 ? 0 : Math.max(0, oldest - cursor),
    };
  }

  tip({ points = 0 }: TipOptions = {}): TipAnswer {
    const newestFirst = pools
      .keptBlocks(this.#pool)
      .map(({ point }) => point)
      .reverse();
    return { ...pools.tipOf(this.#pool), points: newestFirst.slice(0, points), epoch: pools.epoch };
  }

  usage(): Usage {
    const { live, log, lastLogSeq, lastSeq, events } = this.#pool;
    const count = (wanted: KnownStage): number => [...live.values()].filter(({ stage }) => stage === wanted).length;
    return {
      pending: count('Pending'),
      held: [...live.values()].filter(({ notBefore }) => notBefore !== undefined).length,
      propagated: count('Propagated'),
      acknowledged: count('Acknowledged'),
      confirmed: count('Confirmed'),
      logged: log.length,
      lastLogSeq,
      lastSeq,
      lastEventSeq: events.length,
      epoch: pools.epoch,
      cursors: {
        events: pools.cursor('e', events.length),
        log: pools.cursor('l', lastLogSeq + 1),
        gossip: pools.cursor('g', lastSeq),
      },
      oldestInflight: pools.oldestInflight(this.#pool),
    };
  }

  /** The events after that number. The model keeps all events. */
  eventsAfter(after: number): readonly StoreEvent[] {
    return this.#pool.events.slice(after);
  }

  /** One call: answered from the record of its operation id, or carried out and recorded. `args`: those that an id is bound to (X2). */
  #step<T>(verb: string, options: WriteOptions | undefined, args: readonly unknown[], run: () => T): T {
    const call = { id: options?.operationId, verb, args };
    const known = operations.recorded<T>(this.#pool.operations, call);
    if (known !== null) return known.outcome;
    const before = pools.lookBefore(this.#pool);
    const outcome = run();
    pools.endCall(this.#pool, before, this.#options.maxFinalized, this.#options.now?.());
    operations.record(this.#pool.operations, call, outcome);
    return outcome;
  }

  /** L2, L13. */
  #receiveOne({ hash, payload, payloadType = 0 }: Submission): ReceiveOutcome {
    const known = pools.currentLife(this.#pool, hash);
    if (known !== undefined && known.stage !== 'Dropped') return { kind: 'duplicate', hash, stage: known.stage };
    const confirmedBy = this.#blocksSince(this.#pool.inclusions.get(hash));
    const stage = confirmedBy.length > 0 ? 'Confirmed' : 'Pending';
    this.#pool.lastSeq += 1;
    const seq = this.#pool.lastSeq;
    this.#pool.live.set(hash, {
      hash,
      seq,
      stage,
      confirmedBy,
      agedBy: [],
      reason: null,
      cause: 'received',
      times: newTimes(),
    });
    this.#pool.bodies.set(hash, { payload: Uint8Array.from(payload), payloadType });
    return { kind: 'received', hash, seq, stage };
  }

  /** From that block to the tip, if it is one of the last `finalizeThreshold`. */
  #blocksSince(inclusion: AppliedBlock | undefined): AppliedBlock[] {
    const recent = pools.keptBlocks(this.#pool).slice(-Math.max(1, this.#options.finalizeThreshold));
    return inclusion !== undefined && recent.includes(inclusion) ? recent.slice(recent.indexOf(inclusion)) : [];
  }

  #move(verb: MoveVerb, hashes: readonly string[], options: WriteOptions | undefined): string[] {
    if (hashes.length === 0) return [];
    return this.#step(verb, options, [...new Set(hashes)], () => {
      const { from, to, cause } = moves[verb];
      const chosen = this.#choose(hashes, from);
      for (const txState of chosen) {
        if (to === 'Pending') returnToPending(txState, cause);
        else if (to === 'Propagated') sendOut(txState, cause);
        else Object.assign(txState, { stage: to, cause });
      }
      return chosen.map(({ hash }) => hash);
    });
  }

  #choose(hashes: readonly string[], stages: readonly KnownStage[]): TxState[] {
    const named = [...new Set(hashes)].map((hash) => this.#pool.live.get(hash));
    return named.filter((txState) => txState !== undefined && stages.includes(txState.stage)) as TxState[];
  }

  /** X3, then L5, L6, L7. */
  #confirm({ point, parent, seen, unseen = [] }: Block, thresholds: Thresholds): ConfirmOutcome {
    const tip = pools.tipOf(this.#pool);
    const isPoint = (block: AppliedBlock): boolean => pools.samePoint(block.point, point);
    if (pools.keptBlocks(this.#pool).some(isPoint)) return { kind: 'duplicate', tip };
    const isBelow = parent === undefined && point.slot < (tip.point?.slot ?? 0);
    const isApart = parent !== undefined && parent !== (tip.point?.hash ?? parent);
    if (isBelow || isApart) return { kind: 'gap', tip };
    const block = { point, seen: new Set(seen), unseen: new Set(unseen.filter((hash) => !seen.includes(hash))) };
    this.#append(block);
    for (const hash of seen) this.#revive(hash, 'Dropped');
    const txStates = [...this.#pool.live.values()];
    const stages = txStates.map(({ stage }) => stage);
    for (const txState of txStates) applyBlock(txState, block);
    const confirmed = txStates.filter(({ stage }, i) => stage === 'Confirmed' && stages[i] !== 'Confirmed').length;
    const returned = txStates.filter(({ stage }, i) => stage === 'Pending' && stages[i] !== 'Pending').length;
    for (const txState of txStates) settle(txState, thresholds);
    const count = (wanted: KnownStage): number => txStates.filter(({ stage }) => stage === wanted).length;
    const [finalized, dropped] = [count('Finalized'), count('Dropped')];
    return { kind: 'applied', tip: pools.tipOf(this.#pool), confirmed, returned, finalized, dropped };
  }

  /** L9, L13: a new tip; blocks older than `maxRollback` and their inclusions are forgotten. */
  #append(block: AppliedBlock): void {
    const { inclusions, chain } = this.#pool;
    chain.push(block);
    this.#pool.forgotten = Math.max(this.#pool.forgotten, chain.length - 1 - this.#options.maxRollback);
    this.#forgetInclusions();
    for (const hash of block.seen) if (!inclusions.has(hash)) inclusions.set(hash, block);
    for (const hash of block.unseen) inclusions.delete(hash);
  }

  #forgetInclusions(): void {
    const { inclusions } = this.#pool;
    const kept = new Set(pools.keptBlocks(this.#pool));
    for (const [hash, block] of inclusions) if (!kept.has(block)) inclusions.delete(hash);
  }

  /** Makes a hash live again whose latest log entry has that stage. The caller sets the new stage. */
  #revive(hash: string, stage: 'Finalized' | 'Dropped'): void {
    const txState = pools.currentLife(this.#pool, hash);
    if (txState?.stage !== stage) return;
    const { seq, reason, cause, times } = txState;
    const [confirmedBy, agedBy] = [[...txState.confirmedBy], [...txState.agedBy]];
    this.#pool.live.set(hash, { hash, seq, stage, confirmedBy, agedBy, reason, cause, times: { ...times } });
  }

  /** L9. */
  #rollback(point: ChainPoint | null): RollbackOutcome {
    const tip = pools.tipOf(this.#pool);
    const kept = pools.keptBlocks(this.#pool);
    if (point === null && tip.point === null) return { kind: 'unchanged', tip };
    const target = point === null ? -1 : kept.findIndex((block) => pools.samePoint(block.point, point));
    if (point !== null && target < 0) return { kind: 'unknown-point', tip, oldest: kept[0]?.point ?? null };
    if (target === kept.length - 1) return { kind: 'unchanged', tip };
    const undone = new Set(kept.slice(target + 1));
    this.#pool.chain = this.#pool.chain.filter((block) => !undone.has(block));
    this.#forgetInclusions();
    const returned = this.#undo(undone);
    return { kind: 'rolled-back', tip: pools.tipOf(this.#pool), undone: undone.size, returned };
  }

  #undo(undone: ReadonlySet<AppliedBlock>): number {
    const { log, live } = this.#pool;
    const finals = new Set(log.map(({ hash }) => hash)).difference(new Set(live.keys()));
    for (const hash of finals) {
      const confirming = pools.currentLife(this.#pool, hash)?.confirmedBy[0];
      if (confirming !== undefined && undone.has(confirming)) this.#revive(hash, 'Finalized');
    }
    const waiting = this.pending().length;
    for (const txState of live.values()) undoBlocks(txState, undone);
    return this.pending().length - waiting;
  }

  #peek(wanted: (txState: TxState) => boolean): StoredTransaction[] {
    const txStates = [...this.#pool.live.values()].filter(wanted).sort((a, b) => a.seq - b.seq);
    return txStates.flatMap((txState) => pools.storedTransaction(this.#pool, txState));
  }
}
