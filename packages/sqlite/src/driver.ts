import {
  type ChainPoint,
  type Change,
  type CheckedBlock,
  type ConfirmOutcome,
  clampTick,
  type DriverOptions,
  decodeOutcome,
  droppableTick,
  type EventPage,
  encodeOutcome,
  encodePoint,
  finalizableTick,
  hashToBytes,
  knownStages,
  type Life,
  type LiveStage,
  type LogPage,
  type MoveVerb,
  maxOperations,
  planBlock,
  planDrop,
  planMove,
  planReceive,
  planRollback,
  type ReadContext,
  type ReceiveOutcome,
  type RollbackOutcome,
  retryUntil,
  type StoreDriver,
  type StoredTransaction,
  sightingCounts,
  type Tip,
  type TipAnswer,
  type Transaction,
  type TransactionStatus,
  type Usage,
  type WriteContext,
} from 'mempool-core';
import { CommitPoll } from './commit-poll.ts';
import type { HashIndex } from './hash-index.ts';
import type { PoolFile } from './pool-file.ts';
import { PoolReader } from './pool-reader.ts';
import { damaged, decodeLife, decodePool } from './records.ts';
import type { Statements } from './statements.ts';
import { Step } from './step.ts';
import { WriteLine } from './write-line.ts';

/** The contract's verbs, each one SQLite transaction. The rules are core's plan functions; here is what they load and write. */
export class SqliteDriver implements StoreDriver {
  readonly #file: PoolFile;
  readonly #statements: Statements;
  readonly #hashes: HashIndex;
  readonly #options: DriverOptions;
  readonly #reader: PoolReader;
  readonly #commits: CommitPoll;
  readonly #line = new WriteLine();

  constructor(file: PoolFile, hashes: HashIndex, options: DriverOptions) {
    this.#file = file;
    this.#statements = file.statements;
    this.#hashes = hashes;
    this.#options = options;
    this.#reader = new PoolReader(file.statements, hashes);
    this.#commits = new CommitPoll(file.statements);
  }

  receive(transactions: readonly Transaction[], context: WriteContext): Promise<ReceiveOutcome[]> {
    return this.#write('receive', context, (step) =>
      transactions.map((transaction) => this.#receiveOne(step, transaction)),
    );
  }

  move(verb: MoveVerb, hashes: readonly string[], context: WriteContext): Promise<string[]> {
    return this.#write(verb, context, (step) => change(step, hashes, (life) => planMove(verb, life, step.pool.tick)));
  }

  drop(hashes: readonly string[], reason: string, context: WriteContext): Promise<string[]> {
    return this.#write('drop', context, (step) =>
      change(step, hashes, (life) => planDrop(life, reason, step.pool.tick)),
    );
  }

  confirm(block: CheckedBlock, context: WriteContext): Promise<ConfirmOutcome> {
    return this.#write('confirm', context, (step) => {
      const tip = this.#reader.tipOf(step.pool);
      if (this.#keptTick(step, block.point) !== null) return { kind: 'duplicate', tip };
      if (tip.point !== null && block.parent !== null && block.parent !== tip.point.hash) return { kind: 'gap', tip };
      return this.#applyBlock(step, block);
    });
  }

  rollback(point: ChainPoint | null, context: WriteContext): Promise<RollbackOutcome> {
    return this.#write('rollback', context, (step) => {
      const { pool } = step;
      const tip = this.#reader.tipOf(pool);
      const target = point === null ? pool.floor - 1 : this.#keptTick(step, point);
      if (target === null)
        return { kind: 'unknown-point', tip, oldest: tip.point === null ? null : step.pointAt(pool.floor) };
      return target === pool.tick ? { kind: 'unchanged', tip } : this.#undoTo(step, target);
    });
  }

  peekPending(after: number, limit: number, context: ReadContext): Promise<StoredTransaction[]> {
    return this.#read(context, () => this.#reader.page(this.#statements.pending, after, limit));
  }

  peekInflight(after: number, limit: number, context: ReadContext): Promise<StoredTransaction[]> {
    return this.#read(context, () => this.#reader.page(this.#statements.inflight, after, limit));
  }

  findInflight(hashes: readonly string[], context: ReadContext): Promise<(StoredTransaction | null)[]> {
    return this.#read(context, () => this.#reader.findInflight(hashes));
  }

  checkStatus(hashes: readonly string[], context: ReadContext): Promise<TransactionStatus[]> {
    return this.#read(context, () => this.#reader.checkStatus(hashes));
  }

  dumpFinalized(cursor: number, limit: number, context: ReadContext): Promise<LogPage> {
    return this.#read(context, () => this.#reader.dumpFinalized(cursor, limit));
  }

  tip(points: number, context: ReadContext): Promise<TipAnswer> {
    return this.#read(context, () => this.#reader.tip(points));
  }

  usage(context: ReadContext): Promise<Usage> {
    return this.#read(context, () => this.#reader.usage());
  }

  readEvents(after: number, limit: number): Promise<EventPage> {
    return this.#read({ signal: undefined }, () => this.#reader.readEvents(after, limit));
  }

  onEvents(listener: () => void): () => void {
    return this.#commits.listen(listener);
  }

  close(): void {
    this.#commits.stop();
    this.#file.close();
  }

  #read<T>({ signal }: ReadContext, run: () => T): Promise<T> {
    const { timeoutMs, clock } = this.#options;
    return retryUntil({ timeoutMs, clock, signal }, () => this.#file.read(run));
  }

  /** A busy file was not written to, so the same step is tried again (X5). */
  #write<T>(verb: string, context: WriteContext, run: (step: Step) => T): Promise<T> {
    const { timeoutMs, clock } = this.#options;
    const { signal } = context;
    const deadline = clock() + timeoutMs;
    return this.#line.run(signal, () =>
      retryUntil({ timeoutMs: deadline - clock(), clock, signal }, () => this.#attempt(verb, context, run)),
    );
  }

  #attempt<T>(verb: string, { operationId }: WriteContext, run: (step: Step) => T): T {
    let wrote = false;
    try {
      const outcome = this.#file.write(() => {
        const recorded = this.#recorded<T>(verb, operationId);
        if (recorded !== null) return recorded.outcome;
        const step = new Step(this.#statements, this.#hashes, decodePool(this.#statements.pool.get()));
        const result = run(step);
        wrote = step.finish();
        if (operationId !== undefined) this.#record(verb, operationId, result);
        return result;
      });
      this.#hashes.settle();
      if (wrote) this.#commits.notify();
      return outcome;
    } catch (error) {
      this.#hashes.undo();
      throw error;
    }
  }

  #recorded<T>(verb: string, operationId: string | undefined): { outcome: T } | null {
    if (operationId === undefined) return null;
    const row = this.#statements.operation.get(operationId) as { outcome: Uint8Array } | undefined;
    return row === undefined ? null : { outcome: decodeOutcome<T>(verb, row.outcome) };
  }

  #record(verb: string, operationId: string, outcome: unknown): void {
    const { lastInsertRowid } = this.#statements.recordOperation.run(operationId, encodeOutcome(verb, outcome));
    this.#statements.trimOperations.run(Number(lastInsertRowid) - maxOperations);
  }

  /** Tries the usual case first: an unknown hash costs one look, by the insert itself. */
  #receiveOne(step: Step, transaction: Transaction): ReceiveOutcome {
    const { hash } = transaction;
    const fresh = this.#planReceive(step, null, hash);
    if (fresh !== null && step.insert(fresh, transaction)) return received(fresh);
    const before = step.life(hash);
    const again = this.#planReceive(step, before, hash);
    if (before === null || again === null) return duplicate(hash, before);
    step.remove(before);
    step.insert(again, transaction);
    return received(again);
  }

  #planReceive({ pool }: Step, before: Life | null, hash: string): Change | null {
    const row = this.#statements.sighting.get(hashToBytes(hash)) as { tick: number } | undefined;
    const counts = row !== undefined && sightingCounts(row.tick, pool.tick, this.#options.thresholds);
    return planReceive(before, hash, pool.lastSeq + 1, pool.tick, counts ? row.tick : null);
  }

  #keptTick({ pool }: Step, point: ChainPoint): number | null {
    const row = this.#statements.tickOf.get(encodePoint(point), pool.floor) as { tick: number } | undefined;
    return row?.tick ?? null;
  }

  #applyBlock(step: Step, { point, seen, unseen, thresholds }: CheckedBlock): ConfirmOutcome {
    const { pool } = step;
    pool.tick += 1;
    const { tick } = pool;
    this.#statements.insertBlock.run(tick, encodePoint(point));
    step.blockEvent('applied', point, tick);
    const lives = { seen: livesOf(step, seen), unseen: livesOf(step, unseen), aged: this.#aged(tick, thresholds) };
    const changes = planBlock(lives, tick, thresholds);
    for (const each of changes) step.apply(each);
    for (const hash of seen) this.#statements.sight.run(hashToBytes(hash), tick);
    for (const hash of unseen) this.#statements.unsight.run(hashToBytes(hash));
    step.raiseFloor();
    return { kind: 'applied', tip: { point, tick }, ...countChanges(changes) };
  }

  #aged(tick: number, thresholds: CheckedBlock['thresholds']): Life[] {
    const oldest = droppableTick(tick, thresholds);
    return [
      ...this.#range('upTo', 'Propagated', oldest),
      ...this.#range('upTo', 'Acknowledged', oldest),
      ...this.#range('upTo', 'Confirmed', finalizableTick(tick, thresholds)),
    ];
  }

  #undoTo(step: Step, target: number): RollbackOutcome {
    const { pool } = step;
    const { tick } = pool;
    for (let undone = tick; undone > target; undone -= 1) step.blockEvent('undone', step.pointAt(undone), undone);
    const confirmed = this.#range('since', 'Confirmed', target);
    const changes = planRollback([...confirmed, ...this.#range('since', 'Finalized', target)], tick, target);
    for (const each of changes) step.apply(each);
    for (const stage of ['Propagated', 'Acknowledged'] as const)
      for (const life of this.#range('since', stage, target))
        this.#statements.clamp.run(clampTick(life, target).tick, life.seq);
    this.#statements.undoBlocks.run(target);
    this.#statements.undoSightings.run(target);
    pool.tick = target;
    const tip: Tip = this.#reader.tipOf(pool);
    return { kind: 'rolled-back', tip, undone: tick - target, returned: changes.length };
  }

  /** By an index, so that the cost is that of what it finds (L12). */
  #range(statement: 'upTo' | 'since', stage: LiveStage | 'Finalized', tick: number): Life[] {
    if (tick === Number.NEGATIVE_INFINITY) return [];
    return this.#statements[statement].all(knownStages.indexOf(stage), tick).map(decodeLife);
  }
}

function livesOf(step: Step, hashes: readonly string[]): Life[] {
  return hashes.map((hash) => step.life(hash)).filter((life) => life !== null);
}

function change(step: Step, hashes: readonly string[], plan: (life: Life) => Change | null): string[] {
  return hashes.filter((hash) => {
    const life = step.life(hash);
    const planned = life === null ? null : plan(life);
    if (planned === null) return false;
    step.apply(planned);
    return true;
  });
}

function received({ after }: Change): ReceiveOutcome {
  const { hash, seq, stage } = after;
  return { kind: 'received', hash, seq, stage: stage === 'Confirmed' ? stage : 'Pending' };
}

/** A hash that has a row and yet is not found, or was Dropped and yet is refused, tells of a damaged index. */
function duplicate(hash: string, before: Life | null): ReceiveOutcome {
  if (before === null || before.stage === 'Dropped') throw damaged('index of hashes');
  return { kind: 'duplicate', hash, stage: before.stage };
}

function countChanges(changes: readonly Change[]): Omit<Extract<ConfirmOutcome, { kind: 'applied' }>, 'kind' | 'tip'> {
  const count = (fits: (change: Change) => boolean) => changes.filter(fits).length;
  return {
    confirmed: count(({ before, after }) => before?.stage !== 'Confirmed' && isConfirmed(after)),
    returned: count(({ after }) => after.stage === 'Pending'),
    finalized: count(({ after }) => after.stage === 'Finalized'),
    dropped: count(({ after }) => after.stage === 'Dropped'),
  };
}

function isConfirmed({ stage }: Life): boolean {
  return stage === 'Confirmed' || stage === 'Finalized';
}
