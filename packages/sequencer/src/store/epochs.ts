import type { Lease } from 'mempool-core';
import type { EpochRecord } from '../contract/epoch.ts';
import { type EpochRow, type EpochStep, isEnded, isIn, stepped } from '../rules/phases.ts';
import { epochOfName, recordNames } from './names.ts';
import type { Namespace } from './namespace.ts';

/** The fields of an epoch that a step may set in addition to the states. */
export type EpochFacts = Partial<
  Pick<
    EpochRecord,
    | 'reason'
    | 'closedAt'
    | 'localRoot'
    | 'collectingAt'
    | 'agreedAt'
    | 'certifiedAt'
    | 'root'
    | 'transaction'
    | 'finalizedAt'
    | 'tally'
  >
>;

/** The records of a namespace's epochs. */
export class Epochs {
  readonly #namespace: Namespace;

  constructor(namespace: Namespace) {
    this.#namespace = namespace;
  }

  async find(epoch: number): Promise<EpochRecord | null> {
    return (await this.#namespace.records.read<EpochRecord>(recordNames.epoch(epoch)))?.value ?? null;
  }

  /** The epochs that need somebody's work, by number. */
  async active(): Promise<number[]> {
    const found = await this.#namespace.records.list<object>('active/');
    return found.map(({ name }) => epochOfName(name));
  }

  /** Lists an epoch among the active ones, if it is not. */
  async activate(epoch: number, lease?: Lease): Promise<void> {
    await this.#namespace.records.writeOnce(recordNames.active(epoch), {}, lease);
  }

  /** Lists an epoch again, so that an earlier decision to `deactivate` it does nothing. */
  async activateAnew(epoch: number, lease: Lease): Promise<void> {
    await this.#namespace.records.replace(recordNames.active(epoch), {}, undefined, lease);
  }

  /** The version to `deactivate` an epoch under; 0 if it is not active. */
  async activeVersion(epoch: number): Promise<number> {
    return (await this.#namespace.records.read<object>(recordNames.active(epoch)))?.version ?? 0;
  }

  /** Removes an epoch from the list, unless it was listed again since this version. */
  async deactivate(epoch: number, lease: Lease, version?: number): Promise<void> {
    await this.#namespace.records.replace(recordNames.active(epoch), null, version, lease);
  }

  /**
   * Makes a step, if the epoch is where it begins. Returns the record after it; `null` if the epoch is elsewhere or unknown.
   * @throws `DeposedError` if the lease is not the live one
   */
  step(epoch: number, step: EpochStep, lease: Lease, facts: EpochFacts = {}): Promise<EpochRecord | null> {
    return this.#change(epoch, lease, (record) => {
      const states = stepped(record, step);
      return states === null ? null : { ...record, ...facts, ...states };
    });
  }

  /** Sets facts without a step, if the epoch is in one of these states. Returns and throws as `step`. */
  note(epoch: number, lease: Lease, facts: EpochFacts, from: EpochRow['from'] = {}): Promise<EpochRecord | null> {
    return this.#change(epoch, lease, (record) => (isIn(record, from) ? { ...record, ...facts } : null));
  }

  /** By compare-and-set: if another process has changed the record meanwhile, the change is decided again. */
  async #change(
    epoch: number,
    lease: Lease,
    change: (record: EpochRecord) => EpochRecord | null,
  ): Promise<EpochRecord | null> {
    const { records, now } = this.#namespace;
    for (;;) {
      const read = await records.read<EpochRecord>(recordNames.epoch(epoch));
      const changed = read === null ? null : change(read.value);
      if (read === null || changed === null) return null;
      const next = { ...changed, ...timesOf(read.value, changed, now()) };
      if (await records.replace(recordNames.epoch(epoch), next, read.version, lease)) return next;
    }
  }
}

/** When it was that an epoch came where it is. */
function timesOf(
  before: EpochRecord,
  { phase, level2 }: EpochRecord,
  now: number,
): Pick<EpochRecord, 'agreedAt' | 'undoneAt' | 'endedAt'> {
  const isUndone = before.phase === 'complete' && phase === 'onchain';
  return {
    agreedAt: level2 === 'completed' ? (before.agreedAt ?? now) : null,
    undoneAt: isUndone ? now : before.undoneAt,
    endedAt: isEnded(phase) ? (phase === before.phase ? before.endedAt : now) : null,
  };
}
