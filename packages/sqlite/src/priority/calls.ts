import { type ConfirmOutcome, isMempoolError, type RollbackOutcome } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Fence } from '../election/fence.ts';
import { CommitPoll } from '../pool/commit-poll.ts';
import { DiskReserve } from '../pool/disk-reserve.ts';
import type { PoolFile } from '../pool/pool-file.ts';
import { PoolView } from '../pool/pool-view.ts';
import type { PriorityChanges } from './changes.ts';
import { FileMirror } from './mirror.ts';
import { MirrorHashIndex } from './mirror-hash-index.ts';
import { PriorityWriter } from './writer.ts';

export interface PriorityParts {
  readonly file: PoolFile;
  /** `null`: no leader can be at work on the file. */
  readonly fence: Fence | null;
  /** `null`: no other process can have the file open. */
  readonly changes: PriorityChanges | null;
}

export type Plan<T> = (pool: core.Planning, nowMs: number) => core.Step<T>;

interface WriteCall<T> {
  readonly verb: string;
  readonly context: core.WriteContext;
  readonly plan: Plan<T>;
  /** An answer that writes nothing and is not recorded; `null`: go on. */
  refusal?(): T | null;
  /** Written first, with what else is. */
  beforehand?(step: core.Step<T>): void;
}

type Fenced = Extract<ConfirmOutcome & RollbackOutcome, { readonly kind: 'fenced' }>;

/**
 * Each call is one SQLite transaction, in which the mirror is brought up to date first. What a call changes is planned on the
 * mirror, written and committed, and the mirror's own from then on; what fails anywhere leaves file and mirror as they were. A
 * busy file was not written to, so the whole of it is tried again (X5).
 */
export class PriorityCalls {
  readonly commits: CommitPoll;
  readonly file: PoolFile;
  readonly hashes: MirrorHashIndex;
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
    this.#nowMs = core.poolClock(options);
  }

  /** Of the file alone. */
  look<T>({ signal }: core.ReadContext, read: () => T): Promise<T> {
    return core.retryUntil({ ...this.#options, signal }, () => this.file.atomically('beginRead', read));
  }

  read<T>(context: core.ReadContext, read: (pool: core.PriorityPool) => T): Promise<T> {
    return this.look(context, () => read(this.#mirror.current().pool));
  }

  write<T>(verb: string, context: core.WriteContext, plan: Plan<T>): Promise<T> {
    return this.#run({ verb, context, plan });
  }

  /** X6, on the tip as it is stored: no block goes onto a damaged one. @throws `ERR_MEMPOOL_CORRUPT` */
  writeUnderLease<T>(verb: string, context: core.ChainContext, plan: Plan<T>): Promise<T | Fenced> {
    const { fence, file } = this.#parts;
    const { lease } = context;
    return this.#run<T | Fenced>({
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
    const { operationId } = context;
    // What others did is followed before the file is kept from them.
    if (this.#parts.changes !== null) this.file.atomically('beginRead', () => this.#mirror.current());
    const outcome = this.file.atomically('beginWrite', () => {
      const known = operationId === undefined ? undefined : this.file.row('operation', operationId);
      if (known !== undefined) return core.decodeOutcome<T>(verb, known.outcome as Uint8Array);
      const refused = refusal?.() ?? null;
      if (refused !== null) return refused;
      const nowMs = this.#nowMs();
      return this.#mirror.current().commit(
        (pool) => plan(pool, nowMs),
        (step, version) => this.#keep(call, core.recorded(step, verb, operationId), version),
      );
    });
    this.commits.notify();
    return outcome;
  }

  /** Stores the step; false where there is nothing to store. */
  #keep<T>({ beforehand }: WriteCall<T>, step: core.Step<T>, version: number): boolean {
    if (!core.changesPool(step) && step.operation === null) return false;
    const bodies = step.writes.flatMap(({ body }) => body ?? []);
    // M3: what admits nothing may use the room that is left.
    if (bodies.length > 0) this.#room.reserve(bodies.reduce((bytes, { payload }) => bytes + payload.length, 0));
    beforehand?.(step);
    this.#writer.write(step, version);
    this.file.commit();
    return true;
  }
}
