import { type DumpedPart, isMempoolError, type PutOutcome, type RestoreOutcome } from 'mempool-core';
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
import type { PriorityChanges } from './changes.ts';
import { decodeHead, writeRanked } from './format.ts';
import { FileMirror } from './mirror.ts';
import { MirrorHashIndex } from './mirror-hash-index.ts';
import { PriorityWriter } from './writer.ts';

export interface PriorityParts {
  readonly file: PoolFile;
  /** The check of leases; `null` if the file cannot have a leader. */
  readonly fence: Fence | null;
  /** The stored changes for other processes; `null` if no other process can open the file. */
  readonly changes: PriorityChanges | null;
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

  constructor(parts: PriorityParts, options: core.DriverOptions) {
    const { file, changes } = parts;
    this.commits = new CommitPoll(file);
    this.file = file;
    this.#parts = parts;
    this.#options = options;
    this.#mirror = new FileMirror(file, changes);
    this.hashes = new MirrorHashIndex(file, this.#mirror);
    this.#writer = new PriorityWriter({ file, hashes: this.hashes, changes });
    this.#room = new DiskReserve(file);
    this.records = new RecordTable(file);
    this.#nowMs = core.poolClock(options);
  }

  /** Reads the file without the mirror. */
  look<T>({ signal }: core.ReadContext, read: () => T): Promise<T> {
    return core.retryUntil({ ...this.#options, signal }, () => this.file.atomically('beginRead', read));
  }

  read<T>(context: core.ReadContext, read: (pool: core.PriorityPool) => T): Promise<T> {
    return this.look(context, () => read(this.#mirror.current().pool));
  }

  write<T>(verb: string, context: core.WriteContext, plan: core.Plan<T>): Promise<T> {
    return this.#run({ verb, context, plan });
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
    const { operationId, digest, signal } = context;
    const { file, hashes } = this;
    return this.#line.run({ ...this.#options, signal }, () =>
      file.atomically('beginWrite', () => {
        const known = operationId === undefined ? undefined : file.row('operation', operationId);
        if (known !== undefined)
          return core.decodeOutcome<RestoreOutcome>('restore', known.outcome as Uint8Array, digest);
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
    return this.#line.run({ ...this.#options, signal }, () => {
      try {
        return this.#attempt(call);
      } catch (error) {
        if (!isMempoolError(error, 'ERR_MEMPOOL_STORE_FULL') || !this.file.checkpoint()) throw error;
        return this.#attempt(call);
      }
    });
  }

  #attempt<T>(call: WriteCall<T>): T {
    const { verb, context, plan, refusal } = call;
    const { operationId, digest } = context;
    // The mirror catches up before the file is locked for writing.
    if (this.#parts.changes !== null) this.file.atomically('beginRead', () => this.#mirror.current());
    const outcome = this.file.atomically('beginWrite', () => {
      const known = operationId === undefined ? undefined : this.file.row('operation', operationId);
      if (known !== undefined) return core.decodeOutcome<T>(verb, known.outcome as Uint8Array, digest);
      const refused = refusal?.() ?? null;
      if (refused !== null) return refused;
      const nowMs = this.#nowMs();
      return this.#mirror.current().commit(
        (pool) => plan(pool, nowMs),
        (step, version) => this.#keep(call, step, nowMs, version),
      );
    });
    this.commits.notify();
    return outcome;
  }

  /** Stores the step, and returns it as it is stored; `null` if there is nothing to store. */
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
