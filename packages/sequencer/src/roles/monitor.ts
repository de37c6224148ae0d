import type { Leadership, Lease } from 'mempool-core';
import type { ChainEvent, RefusedRelease } from '../contract/chain.ts';
import type { EpochRecord } from '../contract/epoch.ts';
import { isEnded } from '../rules/phases.ts';
import { Epochs } from '../store/epochs.ts';
import { recordNames } from '../store/names.ts';
import type { Namespace } from '../store/namespace.ts';
import { DeposedError } from '../store/records.ts';
import type { Aggregator } from './aggregator.ts';
import { eachEpoch } from './each-epoch.ts';
import { Pruning, type PruningOptions } from './pruning.ts';
import { dropItems, settleEpoch, tallyEpoch } from './tallying.ts';
import { together } from './together.ts';
import { hasWaiting, hasWaitingInTime } from './waiting.ts';
import { closeWindow, faultOf, Window } from './window.ts';

/** Options of an event monitor. */
export interface EpochMonitorOptions extends Pick<PruningOptions, 'keepMs' | 'archive' | 'pruneMs'> {
  /**
   * How long after the end of its window an epoch may take until this validator's own result, in milliseconds; default 600,000. Then it
   * fails with `submissions_not_checked` or `parts_not_counted`.
   */
  readonly level1TimeoutMs?: number | undefined;
  /** How long an epoch waits when it cannot go on, in milliseconds; default 50. */
  readonly idleMs?: number | undefined;
  /**
   * Receives an error in an epoch, such as of `publish`, or in forgetting old ones (`null`). It is tried again. Without `report` the error
   * ends `run`. It also receives a `RecordsFillingError` before the room for records is used up, a `LateReleaseError` for a release that was read after the end of its window, and a `RefusedReleaseError` for one that is invalid.
   */
  readonly report?: ((error: unknown, epoch: number | null) => void) | undefined;
}

/** A release was read when its window was over, so the epoch receives no submission here. */
export class LateReleaseError extends Error {
  /** Milliseconds since the end of the window. */
  readonly lateMs: number;

  constructor(lateMs: number) {
    super(`the release was read ${lateMs} ms after the end of its window: this validator receives no submission of it`);
    this.name = 'LateReleaseError';
    this.lateMs = lateMs;
  }
}

/** A release was refused, because no epoch can be opened with it. The reader of the chain goes on with the next event. */
export class RefusedReleaseError extends Error {
  constructor(reason: string) {
    super(`the release was refused: ${reason}`);
    this.name = 'RefusedReleaseError';
  }
}

/** A leadership, as `runAsLeader` of an election gives it. */
export type LeaderPart = Pick<Leadership, 'lease' | 'reportProgress'>;

/** Leads the epochs through their phases. All that it writes carries the leader's lease. */
export class EpochMonitor {
  readonly #namespace: Namespace;
  readonly #epochs: Epochs;
  readonly #aggregator: Aggregator;
  readonly #pruning: Pruning;
  readonly #options: EpochMonitorOptions;

  constructor(namespace: Namespace, aggregator: Aggregator, options: EpochMonitorOptions = {}) {
    this.#namespace = namespace;
    this.#epochs = new Epochs(namespace);
    this.#aggregator = aggregator;
    this.#pruning = new Pruning(namespace, options);
    this.#options = options;
  }

  /**
   * Leads until the signal aborts, and forgets old epochs.
   * @throws `DeposedError` if another node leads now; without `report` any error of `publish`, of `sign` or of a store
   */
  run(leadership: LeaderPart, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { lease } = leadership;
    const epochs = this.#epochs;
    const { idleMs = 50 } = this.#options;
    const onTurn = () => leadership.reportProgress();
    const work = (epoch: number) => this.#reported(epoch, lease);
    return together(signal, [
      (until) => eachEpoch({ epochs, signal: until, idleMs, onTurn, work }),
      (until) => this.#pruning.run(lease, until),
    ]);
  }

  /** The bytes of all records of the namespace, as this process last counted them while it led; 0 before. At most 64 MiB fit. */
  get recordBytes(): number {
    return this.#pruning.recordBytes;
  }

  /** Runs a step. If `report` is given, it receives the error, and other epochs go on. */
  async #reported(epoch: number, lease: Lease): Promise<boolean> {
    const { report } = this.#options;
    try {
      return await this.step(epoch, lease);
    } catch (error) {
      if (report === undefined || error instanceof DeposedError) throw error;
      report(error, epoch);
      return false;
    }
  }

  /** Moves one epoch by one step, if it can go on. True if there may be another step at once. @throws as `run` */
  async step(epoch: number, lease: Lease): Promise<boolean> {
    const record = await this.#epochs.find(epoch);
    if (record === null) return false;
    if (this.#isOverdue(record)) return this.#fail(record, lease);
    switch (record.phase) {
      case 'submission':
        return this.#close(record, lease);
      case 'level1':
        return record.tally === null ? this.#tally(record, lease) : this.#aggregator.level1(record, lease);
      case 'level2':
        return this.#aggregator.level2(record, lease);
      case 'onchain':
        return record.tally === null ? this.#overtaken(record, lease) : this.#aggregator.onchain(record, lease);
      case 'complete':
      case 'failed':
        return record.tally === null ? this.#overtaken(record, lease) : this.#end(epoch, lease);
    }
  }

  /** The phase goes on first, and the tally comes in the next step: from now on dequeuers refuse the submissions that they take. */
  async #close(record: EpochRecord, lease: Lease): Promise<boolean> {
    if (!(await this.#isClosed(record, lease)) || !(await this.#isChecked(record))) return false;
    return (await this.#epochs.step(record.epoch, 'tally', lease)) !== null;
  }

  /** True if this validator still has no result of its own when the time for it is over. */
  #isOverdue({ phase, closesAt }: EpochRecord): boolean {
    if (phase !== 'submission' && phase !== 'level1') return false;
    return this.#namespace.now() >= closesAt + (this.#options.level1TimeoutMs ?? 600_000);
  }

  async #fail({ epoch, phase }: EpochRecord, lease: Lease): Promise<boolean> {
    const reason = phase === 'submission' ? 'submissions_not_checked' : 'parts_not_counted';
    return (await this.#epochs.step(epoch, 'failLevel1', lease, { reason })) !== null;
  }

  /** This process's clock schedules the attempt; the store's clock decides. */
  async #isClosed(record: EpochRecord, lease: Lease): Promise<boolean> {
    if (record.closedAt !== null) return true;
    if (this.#namespace.now() < record.closesAt) return false;
    const closedAt = await closeWindow(this.#namespace, record);
    return closedAt !== null && (await this.#epochs.note(record.epoch, lease, { closedAt })) !== null;
  }

  /** The chain was faster than this validator. Submissions of its window still end counted, or dropped for the right reason. */
  async #overtaken(record: EpochRecord, lease: Lease): Promise<boolean> {
    if (record.level1 !== 'pending') return this.#tally(record, lease);
    if (!(await this.#isClosed(record, lease)) || !(await this.#isChecked(record))) return false;
    return (await this.#epochs.step(record.epoch, 'overtake', lease)) !== null;
  }

  async #tally(record: EpochRecord, lease: Lease): Promise<boolean> {
    if (!(await this.#isChecked(record))) return false;
    const tally = await tallyEpoch(this.#namespace, record, lease);
    return (await this.#epochs.note(record.epoch, lease, { tally })) !== null;
  }

  /** True if every submission that came in time is counted or dropped. */
  async #isChecked(record: EpochRecord): Promise<boolean> {
    return !(await this.#namespace.withEpoch(record, (pool) => hasWaitingInTime(pool, record.closesAt)));
  }

  /** An ended epoch needs nobody any more when its last submissions are dropped, and the counted ones are Finalized if they may be. */
  async #end(epoch: number, lease: Lease): Promise<boolean> {
    // Read the list before the record: a later event of the chain lists the epoch again.
    const version = await this.#epochs.activeVersion(epoch);
    const record = await this.#epochs.find(epoch);
    if (record === null || !isEnded(record.phase)) return true;
    const { tally, level1, root, finalizedAt } = record;
    if (await this.#namespace.withEpoch(record, hasWaiting)) return false;
    if (tally !== null && level1 !== 'completed') await dropItems(this.#namespace, epoch, tally.parts);
    if (finalizedAt !== null && root !== null) await settleEpoch(this.#namespace, record, root, lease);
    this.#aggregator.forget(epoch);
    await this.#epochs.deactivate(epoch, lease, version);
    return false;
  }

  /**
   * Applies an event of the chain. It may come again, and has to if this has not returned. True if it changed the epoch. An invalid
   * release is recorded as `refused/<epoch>` with the reason.
   * @throws `DeposedError` if another node leads now
   */
  async apply(event: ChainEvent, lease: Lease): Promise<boolean> {
    if (event.kind === 'released') return this.#release(event, lease);
    const record = await this.#told(event, lease);
    if (record === null) await this.#remain(event.epoch, lease);
    else if (!isEnded(record.phase)) await this.#epochs.activateAnew(event.epoch, lease);
    return record !== null;
  }

  async #release(event: Extract<ChainEvent, { kind: 'released' }>, lease: Lease): Promise<boolean> {
    const fault = faultOf(event, this.#namespace.now());
    if (fault !== null) return this.#refuse(event.epoch, fault, lease);
    const isNew = (await this.#epochs.find(event.epoch)) === null;
    const { openedAt, closesAt } = await new Window(this.#namespace).open(event, lease);
    if (isNew && openedAt >= closesAt) this.#options.report?.(new LateReleaseError(openedAt - closesAt), event.epoch);
    return isNew;
  }

  async #refuse(epoch: number, reason: string, lease: Lease): Promise<false> {
    const refusal: RefusedRelease = { reason, at: this.#namespace.now() };
    if (await this.#namespace.records.replace(recordNames.refused(epoch), refusal, 0, lease))
      this.#options.report?.(new RefusedReleaseError(reason), epoch);
    return false;
  }

  /** A leader that was killed may have applied the event, and not have listed the epoch. */
  async #remain(epoch: number, lease: Lease): Promise<void> {
    const record = await this.#epochs.find(epoch);
    if (record !== null && !isEnded(record.phase)) await this.#epochs.activate(epoch, lease);
  }

  #told(event: Exclude<ChainEvent, { kind: 'released' }>, lease: Lease): Promise<EpochRecord | null> {
    const { epoch } = event;
    switch (event.kind) {
      case 'queued':
        return this.#epochs.step(epoch, 'queue', lease);
      case 'submitted':
        return this.#epochs.step(epoch, 'submit', lease, { transaction: event.transaction });
      case 'confirmed':
        return this.#epochs.step(epoch, 'confirm', lease, {
          root: event.root,
          transaction: event.transaction,
          reason: null,
        });
      case 'undone':
        return this.#epochs.step(epoch, 'undo', lease);
      case 'refused':
        return this.#epochs.step(epoch, 'failOnchain', lease, { reason: event.reason });
      case 'finalized':
        return this.#settle(epoch, event.root, lease);
    }
  }

  /** If the tally is still to come, the loop does it, when it is there. */
  async #settle(epoch: number, root: string, lease: Lease): Promise<EpochRecord | null> {
    const record = await this.#epochs.find(epoch);
    if (record === null || record.phase !== 'complete' || record.root !== root) return null;
    // A repeated event, too: a killed leader may have noted it without settling the later tally.
    if (record.tally !== null) await settleEpoch(this.#namespace, record, root, lease);
    if (record.finalizedAt !== null) return null;
    const settled = await this.#epochs.note(epoch, lease, { finalizedAt: this.#namespace.now() });
    // Afterwards: the loop may have ended the epoch meanwhile, without knowing that it is final.
    if (record.tally === null) await this.#epochs.activateAnew(epoch, lease);
    return settled;
  }
}
