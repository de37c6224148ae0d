import { type DumpedPart, MempoolError, type PutOutcome, type ReceiveOutcome, type RestoreOutcome } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Fence } from '../election/fence.ts';
import { CommitPoll } from '../file/commit-poll.ts';
import { DiskReserve } from '../file/disk-reserve.ts';
import type { PoolFile } from '../pool/pool-file.ts';
import { PoolView } from '../pool/pool-view.ts';
import { RecordTable } from '../pool/record-table.ts';
import { decodeState } from '../pool/records.ts';
import { isNewPool, type RankedPart, RestoreWriter } from '../pool/restore-writer.ts';
import { StepWriter } from '../pool/step-writer.ts';
import { decodeHead, writeRanked } from './format.ts';
import { FileMirror, type SharedFile } from './mirror.ts';
import { MirrorHashIndex } from './mirror-hash-index.ts';
import { PriorityWriter } from './writer.ts';

export interface PriorityParts {
  readonly file: PoolFile;
  /** The check of leases; `null` if the file cannot have a leader. */
  readonly fence: Fence | null;
  /** `null` if no other process can open the file. */
  readonly shared: SharedFile | null;
}

/** What a call on the mirror returned; `null` if the mirror has to be filled first. */
type Done<T> = readonly [T] | null;

const longestTimerMs = 2 ** 31 - 1;

/** How a call waits for the mirror. */
interface Waiting {
  readonly remainingMs: number;
  readonly signal: AbortSignal | undefined;
  /** What it waits for first; `null`: nothing, so the load begins before the call returns. */
  readonly before: Promise<unknown> | null;
}

interface WriteCall<T> {
  readonly verb: string;
  readonly context: core.WriteContext;
  readonly plan: core.Plan<T>;
  /** Returns an outcome that is neither written nor recorded, or `null` to continue. */
  refusal?(): T | null;
  /** Runs in the transaction, before the step is written. */
  beforehand?(step: core.Step<T>): void;
}

/**
 * The calls on a priority pool. Each is one SQLite transaction. It updates the mirror, plans on the mirror, writes and commits, then
 * applies the step to the mirror. After an error at any point, file and mirror are unchanged. If the file is busy, nothing was written,
 * so the whole call is tried again (X5).
 */
export class PriorityCalls {
  readonly commits: CommitPoll;
  readonly file: PoolFile;
  readonly hashes: MirrorHashIndex;
  readonly records: RecordTable;
  readonly #parts: PriorityParts;
  readonly #options: core.DriverOptions;
  readonly #mirror: FileMirror;
  readonly #writer: PriorityWriter;
  readonly #room: DiskReserve;
  readonly #nowMs: () => number;
  readonly #line = new core.OrderedWriter();
  #settled: Promise<unknown> = Promise.resolve();

  constructor(parts: PriorityParts, options: core.DriverOptions) {
    const { file, shared } = parts;
    this.commits = new CommitPoll(file);
    this.file = file;
    this.#parts = parts;
    this.#options = options;
    this.#mirror = new FileMirror(file, shared);
    this.hashes = new MirrorHashIndex(file, this.#mirror);
    this.#writer = new PriorityWriter({ file, hashes: this.hashes, changes: shared?.changes ?? null });
    this.#room = new DiskReserve(file);
    this.records = new RecordTable(file);
    this.#nowMs = core.poolClock(options);
  }

  /** Reads the pool for the first time, without a time limit. */
  load(): Promise<void> {
    return core.retryUntil({ ...this.#options, signal: undefined }, () => this.#mirror.fill());
  }

  async close(): Promise<void> {
    await this.#mirror.close();
    this.file.close();
  }

  /** Reads the file without the mirror. */
  look<T>({ signal }: core.ReadContext, read: () => T): Promise<T> {
    return this.#reading(signal, () => this.file.atomically('beginRead', () => [read()]));
  }

  read<T>({ signal }: core.ReadContext, read: (pool: core.PriorityPool) => T): Promise<T> {
    return this.#reading(signal, () =>
      this.file.atomically('beginRead', () => {
        const mirror = this.#mirror.current();
        return mirror && [read(mirror.pool)];
      }),
    );
  }

  /** A read that meets a load waits for the writes before it (M2). */
  #reading<T>(signal: AbortSignal | undefined, read: () => Done<T>): Promise<T> {
    return core.retryUntil({ ...this.#options, signal }, (remainingMs) => {
      const done = this.#mirror.isFilling ? null : read();
      return done === null ? this.#filled({ remainingMs, signal, before: this.#settled }, read) : done[0];
    });
  }

  /** Runs `attempt` after `before`, and fills the mirror as often as it is missing. */
  async #filled<T>({ remainingMs, signal, before }: Waiting, attempt: () => Done<T>): Promise<T> {
    const late = AbortSignal.timeout(Math.min(Math.ceil(remainingMs), longestTimerMs));
    const stop = signal === undefined ? late : AbortSignal.any([late, signal]);
    const wait = (work: Promise<unknown>): Promise<void> =>
      unlessStopped(work, stop).catch((error) => {
        if (!late.aborted || signal?.aborted) throw error;
        throw new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'the pool is still being read');
      });
    if (before !== null) await wait(before);
    for (;;) {
      const done = attempt();
      if (done !== null) return done[0];
      await wait(this.#mirror.fill());
    }
  }

  write<T>(verb: string, context: core.WriteContext, plan: core.Plan<T>): Promise<T> {
    return this.#run({ verb, context, plan });
  }

  admit(admission: core.ReceiveCall, context: core.WriteContext): Promise<ReceiveOutcome[]> {
    return this.write('receive', context, core.receivePlan(admission));
  }

  /** Writes only under the live lease (X6). @throws `ERR_MEMPOOL_CORRUPT` if the stored tip is damaged, which no block may be applied to */
  writeUnderLease<T>(verb: string, context: core.ChainContext, plan: core.Plan<T>): Promise<T | core.FencedOutcome> {
    const { fence, file } = this.#parts;
    const { lease } = context;
    return this.#run<T | core.FencedOutcome>({
      verb,
      context,
      plan,
      refusal: () => {
        const tip = new PoolView(file, this.hashes).currentTip;
        return fence === null || fence.admits(lease) ? null : { kind: 'fenced', tip };
      },
      beforehand({ chain }) {
        if (chain !== null) fence?.prolong(lease);
      },
    });
  }

  /** Restores a content (D3). It does not change the mirror; every process loads the pool again. */
  restore(content: readonly DumpedPart[], context: core.WriteContext): Promise<RestoreOutcome> {
    const { signal } = context;
    const { file, hashes } = this;
    return this.#line.run({ ...this.#options, signal }, () =>
      file.atomically('beginWrite', () => {
        const known = file.findOperation<RestoreOutcome>('restore', context);
        if (known !== null) return known.outcome;
        const outcome = isNewPool(file) ? this.#restore(content) : ({ kind: 'not-empty' } as const);
        const step = core.recorded(core.restoreStep(outcome), 'restore', context, null);
        new StepWriter(file, hashes, decodeState(file.row('pool'))).write(step);
        return outcome;
      }),
    );
  }

  #restore(content: readonly DumpedPart[]): RestoreOutcome {
    const { file, hashes } = this;
    const { version } = decodeHead(file.row('priorityPool'));
    file.run('setVersion', version + 1, 0);
    const ranked = (part: RankedPart): void => writeRanked(file, version + 1, part);
    return new RestoreWriter(file, hashes, { fifo: () => undefined, ranked }).write(content);
  }

  putRecord(put: core.CheckedPut, context: core.ChainContext): Promise<PutOutcome> {
    const { fence } = this.#parts;
    const { lease } = context;
    return this.#run<PutOutcome>({
      verb: 'putRecord',
      context,
      plan: () => this.records.plan(put, this.#room),
      // K2: without a lease the call is never fenced.
      refusal: () => (lease === null || fence?.admits(lease) ? null : { kind: 'fenced' }),
    });
  }

  #run<T>(call: WriteCall<T>): Promise<T> {
    const { signal } = call.context;
    const running = this.#line.run({ ...this.#options, signal }, (remainingMs) => {
      const attempt = () => this.file.withCheckpoint(() => this.#attempt(call));
      const done = attempt();
      if (done !== null) return done[0];
      // Later writes wait for this one.
      this.#line.distrust();
      return this.#filled({ remainingMs, signal, before: null }, attempt);
    });
    const before = this.#settled;
    const end = () => before;
    this.#settled = running.then(end, end);
    return running;
  }

  #attempt<T>(call: WriteCall<T>): Done<T> {
    const { verb, context, plan, refusal } = call;
    // The mirror catches up before the file is locked for writing.
    if (this.#parts.shared !== null && !this.file.atomically('beginRead', () => this.#mirror.current())) return null;
    const done = this.file.atomically('beginWrite', (): Done<T> => {
      const known = this.file.findOperation<T>(verb, context);
      if (known !== null) return [known.outcome];
      const refused = refusal?.() ?? null;
      if (refused !== null) return [refused];
      const mirror = this.#mirror.current();
      if (mirror === null) return null;
      const nowMs = this.#nowMs();
      const planned = (pool: Parameters<typeof plan>[0]) => plan(pool, nowMs);
      return [mirror.commit(planned, (step, next) => this.#keep(call, step, nowMs, next))];
    });
    if (done !== null) this.commits.notify();
    return done;
  }

  /** Stores the step and commits it. Returns it as it is stored; `null` if there is nothing to store. */
  #keep<T>(
    { verb, context, beforehand }: WriteCall<T>,
    plan: core.Step<T>,
    nowMs: number,
    version: number,
  ): core.Step<T> | null {
    if (!core.changesPool(plan) && context.operationId === undefined && !plan.record) return null;
    const state = decodeState(this.file.row('pool'));
    const step = core.recorded(plan, verb, context, core.eventTime(nowMs, state.lastAt));
    const bodies = step.writes.flatMap(({ body }) => body ?? []);
    // M3: calls that admit nothing may use the reserved space.
    if (bodies.length > 0) this.#room.reserve(bodies.reduce((bytes, { payload }) => bytes + payload.length, 0));
    beforehand?.(step);
    this.#writer.write(step, state, version);
    this.file.commit();
    return step;
  }
}

/** @throws the reason of the signal, when it stops the wait */
function unlessStopped(work: Promise<unknown>, stop: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(stop.reason);
    stop.addEventListener('abort', end);
    work.then(() => resolve(), reject).finally(() => stop.removeEventListener('abort', end));
    if (stop.aborted) end();
  });
}
