import {
  confirmStep,
  type DriverOptions,
  decodeOutcome,
  dropStep,
  eventTime,
  moveStep,
  poolClock,
  type RecordDriver,
  receiveStep,
  recorded,
  rollbackStep,
  type Step,
  type StoreDriver,
  type WriteContext,
} from 'mempool-core/backend';
import type { Database } from './database.ts';
import { levelError } from './level-error.ts';
import { planPut, readRecord, readRecords } from './named-records.ts';
import { PoolReader } from './pool-reader.ts';
import type { PoolState } from './record.ts';
import { StepBatch } from './step-batch.ts';
import { LoadedView } from './view.ts';

/** The contract's verbs. The rules are core's; this driver loads the records that they need, and writes the changes they return. */
export function levelDriver(
  database: Database,
  state: PoolState,
  { thresholds, now, damage }: Pick<DriverOptions, 'thresholds' | 'now' | 'damage'>,
): StoreDriver {
  const writer = new Writer(database, state, poolClock({ now }));
  const read: Read = async (run) => {
    // A read sees the writes that were called before it, awaited or not (M2).
    await writer.idle;
    try {
      return await database.read(async (reader) => run(await PoolReader.of(reader, damage)));
    } catch (error) {
      throw levelError(error, 'ERR_MEMPOOL_INTERNAL');
    }
  };
  return {
    receive: (transactions, context) =>
      writer.write('receive', context, {
        load: (view) => view.loadArrivals(transactions.map(({ hash }) => hash)),
        plan: (view) => receiveStep(view, transactions, thresholds),
      }),
    move: (verb, hashes, context) =>
      writer.write(verb, context, {
        load: (view) => view.loadTransactions(hashes),
        plan: (view) => moveStep(view, verb, hashes),
      }),
    drop: (hashes, reason, context) =>
      writer.write('drop', context, {
        load: (view) => view.loadTransactions(hashes),
        plan: (view) => dropStep(view, hashes, reason, context),
      }),
    confirm: (block, context) =>
      writer.write('confirm', context, {
        load: (view) => view.loadBlock(block),
        plan: (view) => confirmStep(view, block, context.lease),
      }),
    rollback: (point, context) =>
      writer.write('rollback', context, {
        load: (view) => view.loadUndone(point),
        plan: (view) => rollbackStep(view, point, context.lease),
      }),
    peekPending: (after, limit) => read((pool) => pool.page('pending', after, limit)),
    peekInflight: (after, limit) => read((pool) => pool.page('inflight', after, limit)),
    findInflight: (hashes) => read((pool) => Promise.all(hashes.map((hash) => pool.inflight(hash)))),
    checkStatus: (hashes) => read((pool) => pool.statuses(hashes)),
    dumpFinalized: (cursor, limit) => read((pool) => pool.log(cursor, limit)),
    tip: (points) => read((pool) => pool.tip(points)),
    usage: () => read((pool) => pool.usage()),
    ...recordVerbs(read, writer),
    readEvents: (after, limit) => read((pool) => pool.events(after, limit)),
    onEvents: (listener) => writer.listen(listener),
    close: () => database.close(),
  };
}

type Read = <T>(run: (pool: PoolReader) => Promise<T> | T) => Promise<T>;

function recordVerbs(read: Read, writer: Writer): RecordDriver {
  return {
    getRecord: (name) => read((pool) => readRecord(pool.reader, name)),
    listRecords: (query) => read((pool) => readRecords(pool.reader, query)),
    putRecord: (put, context) =>
      writer.write('putRecord', context, {
        load: async () => undefined,
        plan: (view, at) => planPut(view, put, at),
      }),
  };
}

interface Call<T> {
  /** Loads the records that the rules will need. */
  load(view: LoadedView): Promise<void>;
  plan(view: LoadedView, at: number): Step<T> | Promise<Step<T>>;
}

/** One call after the other: between what a call loads and what it writes, nothing else is written. */
class Writer {
  readonly #database: Database;
  readonly #nowMs: () => number;
  readonly #listeners = new Set<() => void>();
  #state: PoolState;
  #last: Promise<unknown> = Promise.resolve();

  constructor(database: Database, state: PoolState, nowMs: () => number) {
    this.#database = database;
    this.#nowMs = nowMs;
    this.#state = state;
  }

  /** Resolves when the calls made so far have ended. */
  get idle(): Promise<unknown> {
    return this.#last;
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  write<T>(verb: string, context: WriteContext, call: Call<T>): Promise<T> {
    const turn = this.#last.then(() => this.#turn(verb, context, call));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #turn<T>(verb: string, context: WriteContext, { load, plan }: Call<T>): Promise<T> {
    const { signal, operationId, digest } = context;
    signal?.throwIfAborted();
    const reader = this.#database.latest;
    const known = operationId === undefined ? undefined : await reader.get('operations', operationId);
    if (known !== undefined) return decodeOutcome<T>(verb, known, digest);
    const view = new LoadedView(reader, this.#state);
    await load(view);
    // The last moment to leave: nothing has been written (R3).
    signal?.throwIfAborted();
    const at = eventTime(this.#nowMs(), view.lastAt);
    const step = recorded(await plan(view, at), verb, context, at);
    if (step.events.length > 0 || step.operation !== null || step.record)
      await this.#commit(new StepBatch(reader, view), step);
    return step.outcome;
  }

  async #commit(batch: StepBatch, step: Step<unknown>): Promise<void> {
    const state = await batch.add(step);
    try {
      await this.#database.write(batch.batch);
    } catch (error) {
      // LevelDB does not say how much of it has reached the file. Opened again, the pool has all of it or nothing.
      throw levelError(error, 'ERR_MEMPOOL_OUTCOME_UNKNOWN');
    }
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
