import * as core from 'mempool-core';
import { CommitPoll } from './commit-poll.ts';
import type { HashIndex } from './hash-index.ts';
import type { PoolFile } from './pool-file.ts';
import { PoolMoment } from './pool-moment.ts';
import { StepWriter } from './step-writer.ts';
import { WriteLine } from './write-line.ts';

/** The contract's verbs, each one SQLite transaction: core plans what a call changes, and it is written before anybody sees it. */
export class SqliteDriver implements core.StoreDriver {
  readonly #file: PoolFile;
  readonly #hashes: HashIndex;
  readonly #options: core.DriverOptions;
  readonly #commits: CommitPoll;
  readonly #line = new WriteLine();

  constructor(file: PoolFile, hashes: HashIndex, options: core.DriverOptions) {
    this.#file = file;
    this.#hashes = hashes;
    this.#options = options;
    this.#commits = new CommitPoll(file);
  }

  receive(transactions: readonly core.Transaction[], context: core.WriteContext): Promise<core.ReceiveOutcome[]> {
    const { thresholds } = this.#options;
    return this.#write('receive', context, (pool) => core.receiveStep(pool, transactions, thresholds));
  }

  move(verb: core.MoveVerb, hashes: readonly string[], context: core.WriteContext): Promise<string[]> {
    return this.#write(verb, context, (pool) => core.moveStep(pool, verb, hashes));
  }

  drop(hashes: readonly string[], reason: string, context: core.WriteContext): Promise<string[]> {
    return this.#write('drop', context, (pool) => core.dropStep(pool, hashes, reason));
  }

  confirm(block: core.CheckedBlock, context: core.WriteContext): Promise<core.ConfirmOutcome> {
    return this.#write('confirm', context, (pool) => core.confirmStep(pool, block));
  }

  rollback(point: core.ChainPoint | null, context: core.WriteContext): Promise<core.RollbackOutcome> {
    return this.#write('rollback', context, (pool) => core.rollbackStep(pool, point));
  }

  peekPending(after: number, limit: number, context: core.ReadContext): Promise<core.StoredTransaction[]> {
    return this.#read(context, (pool) => pool.page('peekPending', after, limit));
  }

  peekInflight(after: number, limit: number, context: core.ReadContext): Promise<core.StoredTransaction[]> {
    return this.#read(context, (pool) => pool.page('peekInflight', after, limit));
  }

  findInflight(hashes: readonly string[], context: core.ReadContext): Promise<(core.StoredTransaction | null)[]> {
    return this.#read(context, (pool) => hashes.map((hash) => pool.findInflight(hash)));
  }

  checkStatus(hashes: readonly string[], context: core.ReadContext): Promise<core.TransactionStatus[]> {
    return this.#read(context, (pool) => hashes.map((hash) => pool.status(hash)));
  }

  dumpFinalized(cursor: number, limit: number, context: core.ReadContext): Promise<core.LogPage> {
    return this.#read(context, (pool) => pool.logPage(cursor, limit));
  }

  tip(points: number, context: core.ReadContext): Promise<core.TipAnswer> {
    return this.#read(context, (pool) => pool.tip(points));
  }

  usage(context: core.ReadContext): Promise<core.Usage> {
    return this.#read(context, (pool) => pool.usage());
  }

  readEvents(after: number, limit: number): Promise<core.EventPage> {
    return this.#read({ signal: undefined }, (pool) => pool.eventsAfter(after, limit));
  }

  onEvents(listener: () => void): () => void {
    return this.#commits.listen(listener);
  }

  close(): void {
    this.#commits.stop();
    this.#file.close();
  }

  #read<T>({ signal }: core.ReadContext, read: (pool: PoolMoment) => T): Promise<T> {
    const { timeoutMs, clock } = this.#options;
    return core.retryUntil({ timeoutMs, clock, signal }, () =>
      this.#file.read(() => read(new PoolMoment(this.#file, this.#hashes))),
    );
  }

  /** A busy file was not written to, so the whole attempt is made again (X5). */
  #write<T>(verb: string, context: core.WriteContext, plan: (pool: core.PoolView) => core.Step<T>): Promise<T> {
    const { timeoutMs, clock } = this.#options;
    const { signal } = context;
    const deadline = clock() + timeoutMs;
    return this.#line.run(signal, () =>
      core.retryUntil({ timeoutMs: deadline - clock(), clock, signal }, () => this.#attempt(verb, context, plan)),
    );
  }

  #attempt<T>(verb: string, context: core.WriteContext, plan: (pool: core.PoolView) => core.Step<T>): T {
    try {
      const outcome = this.#file.write(() => this.#known<T>(verb, context) ?? this.#apply(verb, context, plan));
      this.#hashes.settle();
      this.#commits.notify();
      return outcome;
    } catch (error) {
      this.#hashes.undo();
      throw error;
    }
  }

  #known<T>(verb: string, { operationId }: core.WriteContext): T | null {
    const row = operationId === undefined ? undefined : this.#file.row('operation', operationId);
    return row === undefined ? null : core.decodeOutcome<T>(verb, row['outcome'] as Uint8Array);
  }

  #apply<T>(verb: string, { operationId }: core.WriteContext, plan: (pool: core.PoolView) => core.Step<T>): T {
    const pool = new PoolMoment(this.#file, this.#hashes);
    const step = core.recorded(plan(pool), verb, operationId);
    new StepWriter(this.#file, this.#hashes, pool.state).write(step);
    return step.outcome;
  }
}
