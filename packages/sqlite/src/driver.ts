import * as core from 'mempool-core';
import { CommitPoll } from './commit-poll.ts';
import { DiskRoom } from './disk-room.ts';
import type { SharedHashes } from './hashes.ts';
import type { PoolFile } from './pool-file.ts';
import { PoolReader } from './pool-reader.ts';
import { PoolView } from './pool-view.ts';
import { StepWriter } from './step-writer.ts';
import { WriteLine } from './write-line.ts';

/** The contract's verbs: core plans what a call changes, and it is written before anybody sees it. */
export function sqliteDriver(file: PoolFile, hashes: SharedHashes, options: core.DriverOptions): core.StoreDriver {
  const calls = new Calls(file, hashes, options);
  const room = new DiskRoom(file);
  const { thresholds } = options;
  return {
    receive: (transactions, context) =>
      calls.write('receive', context, (view) => {
        room.claim(transactions.reduce((bytes, { payload }) => bytes + payload.length, 0));
        return core.receiveStep(view, transactions, thresholds);
      }),
    move: (verb, named, context) => calls.write(verb, context, (view) => core.moveStep(view, verb, named)),
    drop: (named, reason, context) => calls.write('drop', context, (view) => core.dropStep(view, named, reason)),
    confirm: (block, context) => calls.write('confirm', context, (view) => core.confirmStep(view, block)),
    rollback: (point, context) => calls.write('rollback', context, (view) => core.rollbackStep(view, point)),
    peekPending: (after, limit, context) => calls.read(context, (pool) => pool.page('peekPending', after, limit)),
    peekInflight: (after, limit, context) => calls.read(context, (pool) => pool.page('peekInflight', after, limit)),
    findInflight: (named, context) => calls.read(context, (pool) => named.map((hash) => pool.findInflight(hash))),
    checkStatus: (named, context) => calls.read(context, (pool) => named.map((hash) => pool.status(hash))),
    dumpFinalized: (cursor, limit, context) => calls.read(context, (pool) => pool.logPage(cursor, limit)),
    tip: (points, context) => calls.read(context, (pool) => pool.tip(points)),
    usage: (context) => calls.read(context, (pool) => pool.usage()),
    readEvents: (after, limit) => calls.read({ signal: undefined }, (pool) => pool.eventsAfter(after, limit)),
    onEvents: (listener) => calls.commits.listen(listener),
    close: () => file.close(),
  };
}

type Plan<T> = (view: core.PoolView) => core.Step<T>;

/** Each call is one SQLite transaction. A busy file was not written to, so the whole of it is tried again (X5). */
class Calls {
  readonly commits: CommitPoll;
  readonly #file: PoolFile;
  readonly #hashes: SharedHashes;
  readonly #options: core.DriverOptions;
  readonly #line = new WriteLine();

  constructor(file: PoolFile, hashes: SharedHashes, options: core.DriverOptions) {
    this.commits = new CommitPoll(file);
    this.#file = file;
    this.#hashes = hashes;
    this.#options = options;
  }

  read<T>({ signal }: core.ReadContext, read: (pool: PoolReader) => T): Promise<T> {
    return core.retryUntil({ ...this.#options, signal }, () =>
      this.#file.atomically('beginRead', () => read(new PoolReader(this.#file, this.#hashes))),
    );
  }

  write<T>(verb: string, context: core.WriteContext, plan: Plan<T>): Promise<T> {
    const { timeoutMs, clock } = this.#options;
    const { signal } = context;
    const deadline = clock() + timeoutMs;
    return this.#line.run(signal, () =>
      core.retryUntil({ timeoutMs: deadline - clock(), clock, signal }, () => {
        try {
          return this.#attempt(verb, context, plan);
        } catch (error) {
          if (!core.isMempoolError(error, 'ERR_MEMPOOL_STORE_FULL') || !this.#file.checkpoint()) throw error;
          return this.#attempt(verb, context, plan);
        }
      }),
    );
  }

  #attempt<T>(verb: string, { operationId }: core.WriteContext, plan: Plan<T>): T {
    try {
      const outcome = this.#file.atomically('beginWrite', () => {
        const known = operationId === undefined ? undefined : this.#file.row('operation', operationId);
        if (known !== undefined) return core.decodeOutcome<T>(verb, known.outcome as Uint8Array);
        const view = new PoolView(this.#file, this.#hashes);
        const step = core.recorded(plan(view), verb, operationId);
        new StepWriter(this.#file, this.#hashes, view.state).write(step);
        return step.outcome;
      });
      this.#hashes.settle();
      this.commits.notify();
      return outcome;
    } catch (error) {
      this.#hashes.undo();
      throw error;
    }
  }
}
