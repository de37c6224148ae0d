import type { PutOutcome } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Fence } from '../election/fence.ts';
import { CommitPoll } from '../file/commit-poll.ts';
import { DiskReserve } from '../file/disk-reserve.ts';
import { inTime, NotReady, whileBusy } from '../file/write-turns.ts';
import type { CopiedFile } from '../pool/copied-file.ts';
import { FileImport, isImporting } from '../pool/file-import.ts';
import type { PoolFile } from '../pool/pool-file.ts';
import { PoolView } from '../pool/pool-view.ts';
import { RecordTable } from '../pool/record-table.ts';
import { decodeState } from '../pool/records.ts';
import { PriorityChanges } from './changes.ts';
import { importWrites } from './format.ts';
import { FileMirror } from './mirror.ts';
import { MirrorHashIndex } from './mirror-hash-index.ts';
import { PriorityWriter } from './writer.ts';

export interface PriorityParts {
  readonly file: PoolFile;
  readonly fence: Fence;
  /** Opens a further connection to the file, which only reads. */
  openReader(): PoolFile;
  readonly copied: CopiedFile;
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
 * The calls on a priority pool. Each is one SQLite transaction. The mirror follows the file before the transaction until little is left
 * for the time under the write lock. Then the call is planned on the mirror, written and committed, and the mirror applies the step. After an
 * error at any point, file and mirror are unchanged.
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

  constructor(parts: PriorityParts, options: core.DriverOptions) {
    const { file } = parts;
    const changes = new PriorityChanges(file);
    this.commits = new CommitPoll(file);
    this.file = file;
    this.#parts = parts;
    this.#options = options;
    this.#mirror = new FileMirror(file, changes, parts.openReader);
    this.hashes = new MirrorHashIndex(file, this.#mirror);
    this.#writer = new PriorityWriter({ file, hashes: this.hashes, changes });
    this.#room = new DiskReserve(file);
    this.records = new RecordTable(file);
    this.#nowMs = core.poolClock(options);
  }

  /** Reads the pool for the first time, without a time limit. A pool that is being imported is read by the first call after that. */
  async load(): Promise<void> {
    if (isImporting(this.file)) return;
    await whileBusy({ ...this.#options, signal: undefined }, () => this.#mirror.fill());
  }

  async close(): Promise<void> {
    await this.#mirror.close();
    this.file.close();
  }

  /** Reads the file without the mirror. */
  async look<T>({ signal }: core.ReadContext, read: () => T): Promise<T> {
    const { clock, timeoutMs } = this.#options;
    const deadline = clock() + timeoutMs;
    // A read that meets a load waits for the writes before it (M2).
    if (this.#mirror.isFilling) await inTime(this.file.written(), { timeoutMs, signal });
    return this.file.read({ clock, timeoutMs: deadline - clock(), signal }, () => {
      if (isImporting(this.file)) throw core.importUnfinished();
      return read();
    });
  }

  read<T>(context: core.ReadContext, read: (pool: core.PriorityPool) => T): Promise<T> {
    return this.look(context, () => read(this.#ready(this.#mirror.current()).pool));
  }

  /** @throws `NotReady` if the mirror has to be filled first */
  #ready(mirror: core.MirroredPool | null): core.MirroredPool {
    if (mirror === null) throw new NotReady(this.#mirror.fill());
    return mirror;
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
        return fence.admits(lease) ? null : { kind: 'fenced', tip };
      },
      beforehand({ chain }) {
        if (chain !== null) fence.prolong(lease);
      },
    });
  }

  importPage(page: core.ImportedPage, context: core.ReadContext): core.Awaitable<core.PageOutcome> {
    return new FileImport(this.file, this.hashes, importWrites(this.file), this.#options).store(page, context);
  }

  putRecord(put: core.CheckedPut, context: core.ChainContext): Promise<PutOutcome> {
    const { fence } = this.#parts;
    const { lease } = context;
    return this.#run<PutOutcome>({
      verb: 'putRecord',
      context,
      plan: (_, nowMs) => {
        const { lastAt } = decodeState(this.file.row('pool'));
        return this.records.plan(put, this.#room, core.eventTime(nowMs, lastAt));
      },
      // K2: without a lease the call is never fenced.
      refusal: () => (lease === null || fence.admits(lease) ? null : { kind: 'fenced' }),
    });
  }

  async #run<T>(call: WriteCall<T>): Promise<T> {
    const { signal } = call.context;
    const before = () => {
      if (!this.file.atomically('beginRead', () => this.#mirror.isNear)) throw new NotReady(this.#mirror.fill());
    };
    const meanwhile = () => void this.file.atomically('beginRead', () => this.#mirror.current());
    return this.file.write({ ...this.#options, signal, before, meanwhile }, () => this.#carryOut(call));
  }

  #carryOut<T>(call: WriteCall<T>): T {
    const { verb, context, plan, refusal } = call;
    const known = this.file.findOperation<T>(verb, context);
    if (known !== null) return known.outcome;
    const refused = refusal?.() ?? null;
    if (refused !== null) return refused;
    const mirror = this.#ready(this.#mirror.latest());
    const nowMs = this.#nowMs();
    const planned = (pool: Parameters<typeof plan>[0]) => plan(pool, nowMs);
    return mirror.commit(planned, (step, next) => this.#keep(call, step, nowMs, next));
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
