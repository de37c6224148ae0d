import { setTimeout as delay } from 'node:timers/promises';
import type { Leadership, Lease } from 'mempool-core';
import type { ChainEvent } from '../contract/chain.ts';
import type { EpochRecord } from '../contract/epoch.ts';
import { isEnded } from '../rules/phases.ts';
import { Epochs } from '../store/epochs.ts';
import type { Namespace } from '../store/namespace.ts';
import { DeposedError } from '../store/records.ts';
import type { Aggregator } from './aggregator.ts';
import { settleEpoch, tallyEpoch } from './tallying.ts';
import { Window } from './window.ts';

/** Options of an event monitor. */
export interface EpochMonitorOptions {
  /** How long after the end of its window an epoch is closed, in milliseconds: the difference of the nodes' clocks; default 0. */
  readonly graceMs?: number | undefined;
  /** How long it waits when no epoch went on, in milliseconds; default 50. */
  readonly idleMs?: number | undefined;
  /** Is told of an error in an epoch, such as of `publish`. The epoch is tried again. Without it the error ends `run`. */
  readonly report?: ((error: unknown, epoch: number) => void) | undefined;
}

/** What a leader has, as `runAsLeader` of an election gives it. */
export type LeaderPart = Pick<Leadership, 'lease' | 'reportProgress'>;

/** Leads the epochs through their phases. All that it writes carries the leader's lease. */
export class EpochMonitor {
  readonly #namespace: Namespace;
  readonly #epochs: Epochs;
  readonly #aggregator: Aggregator;
  readonly #options: EpochMonitorOptions;

  constructor(namespace: Namespace, aggregator: Aggregator, options: EpochMonitorOptions = {}) {
    this.#namespace = namespace;
    this.#epochs = new Epochs(namespace);
    this.#aggregator = aggregator;
    this.#options = options;
  }

  /**
   * Leads until the signal aborts.
   * @throws `DeposedError` if another node leads now; without `report` any error of `publish`, of `sign` or of a store
   */
  async run(leadership: LeaderPart, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    while (!signal.aborted) {
      let moved = 0;
      for (const epoch of await this.#epochs.active())
        if (!signal.aborted && (await this.#reported(epoch, leadership.lease))) moved += 1;
      leadership.reportProgress();
      if (moved === 0) await delay(this.#options.idleMs ?? 50, undefined, { signal }).catch(() => undefined);
    }
  }

  /** A step whose failure does not keep other epochs from going on, if somebody is told of it. */
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

  /** Moves one epoch by one step, if it can go on. True if it did. @throws as `run` */
  async step(epoch: number, lease: Lease): Promise<boolean> {
    const record = await this.#epochs.find(epoch);
    if (record === null) return false;
    switch (record.phase) {
      case 'submission':
        return this.#close(record, lease);
      case 'level1':
        return record.tally === null ? this.#tally(record, lease) : this.#aggregator.level1(record, lease);
      case 'level2':
        return this.#aggregator.level2(record, lease);
      case 'onchain':
        return this.#aggregator.onchain(record, lease);
      case 'complete':
      case 'failed':
        return this.#end(record, lease);
    }
  }

  /** The phase goes on first, and the tally comes in the next step: from now on dequeuers refuse what they take. */
  async #close(record: EpochRecord, lease: Lease): Promise<boolean> {
    const isOver = this.#namespace.now() >= record.closesAt + (this.#options.graceMs ?? 0);
    if (!isOver || !(await this.#isChecked(record))) return false;
    return (await this.#epochs.step(record.epoch, 'tally', lease)) !== null;
  }

  async #tally(record: EpochRecord, lease: Lease): Promise<boolean> {
    if (!(await this.#isChecked(record))) return false;
    const tally = await tallyEpoch(this.#namespace, record, lease);
    return (await this.#epochs.note(record.epoch, lease, { tally })) !== null;
  }

  /** True if every submission that the pool has is counted or dropped. */
  async #isChecked(record: EpochRecord): Promise<boolean> {
    const { pending, propagated } = await this.#namespace.withEpoch(record, (pool) => pool.usage());
    return pending === 0 && propagated === 0;
  }

  /** An ended epoch needs nobody any more when its last submissions are dropped. */
  async #end(record: EpochRecord, lease: Lease): Promise<boolean> {
    if (!(await this.#isChecked(record))) return false;
    this.#aggregator.forget(record.epoch);
    await this.#epochs.deactivate(record.epoch, lease);
    return true;
  }

  /**
   * Applies what the chain tells. The same may be told again. True if it changed the epoch.
   * @throws `DeposedError` if another node leads now
   */
  async apply(event: ChainEvent, lease: Lease): Promise<boolean> {
    if (event.kind === 'released') {
      const isNew = (await this.#epochs.find(event.epoch)) === null;
      await new Window(this.#namespace).open(event, lease);
      return isNew;
    }
    const record = await this.#told(event, lease);
    if (record !== null && !isEnded(record.phase)) await this.#epochs.activate(event.epoch, lease);
    return record !== null;
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

  async #settle(epoch: number, root: string, lease: Lease): Promise<EpochRecord | null> {
    const record = await this.#epochs.find(epoch);
    if (record === null || record.phase !== 'complete' || record.root !== root) return null;
    await settleEpoch(this.#namespace, record, root, lease);
    return record;
  }
}
