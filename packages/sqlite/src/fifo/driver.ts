import type { PutOutcome, ReceiveOutcome } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Fence } from '../election/fence.ts';
import { CommitPoll } from '../file/commit-poll.ts';
import { DiskReserve } from '../file/disk-reserve.ts';
import type { CopiedFile } from '../pool/copied-file.ts';
import { exportedParts } from '../pool/exported-parts.ts';
import { FileImport } from '../pool/file-import.ts';
import type { HashIndex } from '../pool/hash-index.ts';
import type { PoolFile } from '../pool/pool-file.ts';
import { PoolView } from '../pool/pool-view.ts';
import { RecordTable } from '../pool/record-table.ts';
import { StepWriter } from '../pool/step-writer.ts';
import { exportReads, importWrites, roomIn, writeClaims } from './tables.ts';
import { fifoVerbs } from './verbs.ts';

export interface FifoDriverParts {
  readonly file: PoolFile;
  readonly hashes: HashIndex;
  readonly fence: Fence;
  readonly copied: CopiedFile;
}

/** Returns the contract's verbs for a fifo pool. Core plans the changes of a call, and one transaction writes them. */
export function fifoDriver(parts: FifoDriverParts, options: core.DriverOptions): core.StoreDriver {
  const { file, hashes } = parts;
  const calls = new PoolTransactions(parts, options);
  const room = new DiskReserve(file);
  return {
    copiesPayloads: true,
    receive(transactions, context) {
      let given = transactions;
      const look = () => {
        room.reserve(given.reduce((bytes, { payload }) => bytes + payload.length, 0));
        return new PoolView(file, hashes, given);
      };
      // A call that was given nothing keeps its operation id free (X2).
      const plan: Plan<ReceiveOutcome[]> = (pool) =>
        given.length === 0 ? { refused: [] } : core.receiveStep(pool, given, options.thresholds, roomIn(pool.state));
      const answer = calls.write('receive', context, plan, look);
      // M1: written before the call returns, or else from copies.
      if (answer instanceof Promise) given = core.copyTransactions(given);
      return answer;
    },
    move: (verb, named, context) =>
      calls.write(verb, context, (pool, nowMs) => core.moveStep(pool, verb, named, core.guardOf(context, nowMs))),
    drop: (named, why, context) => calls.write('drop', context, (pool) => core.dropStep(pool, named, why, context)),
    confirm: (block, context) =>
      calls.underLease('confirm', context, (pool) => core.confirmStep(pool, block, context.lease)),
    rollback: (point, context) =>
      calls.underLease('rollback', context, (pool) => core.rollbackStep(pool, point, context.lease)),
    peekPending: (after, limit, context) => calls.read(context, (pool) => pool.page('peekPending', after, limit)),
    peekInflight: (after, limit, context) => calls.read(context, (pool) => pool.page('peekInflight', after, limit)),
    findInflight: (named, context) => calls.read(context, (pool) => named.map((hash) => pool.findInflight(hash))),
    checkStatus: (named, context) => calls.read(context, (pool) => named.map((hash) => pool.status(hash))),
    dumpFinalized: (cursor, limit, context) => calls.read(context, (pool) => pool.logPage(cursor, limit)),
    tip: (points, context) => calls.read(context, (pool) => pool.tip(points)),
    usage: (context) => calls.read(context, (pool) => pool.usage()),
    readEvents: (after, limit) => calls.read({ signal: undefined }, (pool) => pool.eventsAfter(after, limit)),
    onEvents: (listener) => calls.commits.listen(listener),
    ...fifoVerbs({ file, hashes, read: calls.read.bind(calls), write: calls.write.bind(calls) }, options),
    ...wholeVerbs(parts, calls, room, options),
    close: () => file.close(),
  };
}

/** The verbs for records and for the whole pool. */
function wholeVerbs(
  { file, hashes, fence, copied }: FifoDriverParts,
  calls: PoolTransactions,
  room: DiskReserve,
  options: core.DriverOptions,
): core.RecordDriver & core.TransferDriver & Pick<core.PriorityVerbs, 'dumpPool'> {
  const records = new RecordTable(file);
  const importing = new FileImport(file, hashes, importWrites(file), options);
  return {
    dumpPool: (context) =>
      calls.read(context, () => core.dumpOfParts('fifo', [...exportedParts(file, exportReads(file))])),
    exportPages: () => copied.pages((copy) => exportedParts(copy, exportReads(copy))),
    importPage: (page, context) => importing.store(page, context),
    getRecord: (name, context) => calls.read(context, () => records.get(name)),
    listRecords: (query, context) => calls.read(context, () => records.list(query)),
    putRecord: (put, context) =>
      calls.write<PutOutcome>('putRecord', context, ({ lastAt }, nowMs) => {
        // K2: without a lease the call is never fenced.
        if (context.lease !== null && !fence.admits(context.lease)) return { refused: { kind: 'fenced' } };
        return records.plan(put, room, core.eventTime(nowMs, lastAt));
      }),
  };
}

/** `nowMs`: the time of the pool's clock. `refused`: an answer that writes nothing and is not recorded. */
type Plan<T> = (pool: PoolView, nowMs: number) => core.Step<T> | { readonly refused: T };
type ChainPlan<T> = (pool: PoolView) => core.Step<T>;

/** Each call is one SQLite transaction. If the file is busy, nothing was written, so the whole call is tried again (X5). */
class PoolTransactions {
  readonly commits: CommitPoll;
  readonly #file: PoolFile;
  readonly #hashes: HashIndex;
  readonly #fence: Fence;
  readonly #options: core.DriverOptions;
  readonly #nowMs: () => number;

  constructor({ file, hashes, fence }: FifoDriverParts, options: core.DriverOptions) {
    this.commits = new CommitPoll(file);
    this.#file = file;
    this.#hashes = hashes;
    this.#fence = fence;
    this.#options = options;
    this.#nowMs = core.poolClock(options);
  }

  readonly #look = (): PoolView => new PoolView(this.#file, this.#hashes);

  read<T>({ signal }: core.ReadContext, read: (pool: PoolView) => T): Promise<T> {
    return this.#file.read({ ...this.#options, signal }, () => read(this.#look()));
  }

  /** Plans a call and writes the step. `look` creates the view for the plan. Returns no promise if nothing has to wait. */
  write<T>(
    verb: string,
    context: core.WriteContext,
    plan: Plan<T>,
    look: () => PoolView = this.#look,
  ): core.Awaitable<T> {
    const { signal } = context;
    return this.#file.write({ ...this.#options, signal }, () => this.#carryOut(verb, context, plan, look));
  }

  underLease<T>(verb: string, context: core.ChainContext, plan: ChainPlan<T>): core.Awaitable<T | core.FencedOutcome> {
    const fence = this.#fence;
    const { lease } = context;
    return this.write<T | core.FencedOutcome>(verb, context, (pool) => {
      if (!fence.admits(lease)) return { refused: { kind: 'fenced', tip: pool.currentTip } };
      const step = plan(pool);
      if (step.chain !== null) fence.prolong(lease);
      return step;
    });
  }

  #carryOut<T>(verb: string, context: core.WriteContext, plan: Plan<T>, look: () => PoolView): T {
    const known = this.#file.findOperation<T>(verb, context);
    if (known !== null) return known.outcome;
    const nowMs = this.#nowMs();
    const pool = look();
    const planned = plan(pool, nowMs);
    if ('refused' in planned) return planned.refused;
    const step = core.recorded(planned, verb, context, core.eventTime(nowMs, pool.lastAt));
    writeClaims(this.#file, pool.state, step);
    new StepWriter(this.#file, this.#hashes, pool.state).write(step);
    return step.outcome;
  }
}
