import type { Lease } from 'mempool-core';
import { isValidator, isWhole } from '../codec/form.ts';
import type { EpochRecord } from '../contract/epoch.ts';
import { byText } from '../rules/order.ts';
import { firstStates } from '../rules/phases.ts';
import { Epochs } from '../store/epochs.ts';
import { recordNames } from '../store/names.ts';
import type { Namespace } from '../store/namespace.ts';
import { Records } from '../store/records.ts';

/** The values with which an epoch is opened. */
export interface Opening {
  readonly epoch: number;
  /** When the window closes, in milliseconds since 1970; at most 30 days from now. */
  readonly closesAt: number;
  /** The validators of the epoch: 1–128 printable ASCII characters each. */
  readonly validators: readonly string[];
}

const longestWindowMs = 30 * 86_400_000;

/** Opens epochs and closes their windows. */
export class Window {
  readonly #namespace: Namespace;
  readonly #epochs: Epochs;

  constructor(namespace: Namespace) {
    this.#namespace = namespace;
    this.#epochs = new Epochs(namespace);
  }

  /**
   * Makes the record and the pool of an epoch. If the epoch is there already, it stays as it is. Returns its record.
   * @throws `RangeError` naming the field; `DeposedError` if a lease is given that is not the live one
   */
  async open({ epoch, closesAt, validators }: Opening, lease?: Lease): Promise<EpochRecord> {
    const fault = faultOf({ epoch, closesAt, validators }, this.#namespace.now());
    if (fault !== null) throw new RangeError(fault);
    const known = await this.#epochs.find(epoch);
    if (known !== null) return known;
    // The list first: an epoch that a crash left without a record harms nobody, one that nobody works on is stuck.
    await this.#epochs.activate(epoch, lease);
    const record = await this.#namespace.records.writeOnce<EpochRecord>(
      recordNames.epoch(epoch),
      newRecord({ epoch, closesAt, validators }, this.#namespace.now()),
      lease,
    );
    await this.#namespace.withEpoch(record, () => undefined);
    return record;
  }
}

/**
 * Closes the window of an epoch, if its time has come by the store's clock: by a write to the epoch's pool. Submissions that the pool receives after
 * that write has its time at least, so it is late. Returns that time; `null` if it is too early.
 */
export async function closeWindow(namespace: Namespace, { epoch, closesAt }: EpochRecord): Promise<number | null> {
  const closedAt = await namespace.withEpoch({ epoch }, (pool) => new Records(pool).put('closed', { closesAt }));
  return closedAt >= closesAt ? closedAt : null;
}

/** Why an epoch cannot be opened; `null` if it can. */
export function faultOf({ epoch, closesAt, validators }: Opening, now: number): string | null {
  if (!isWhole(epoch)) return 'epoch must be a whole number of at least 0';
  if (!isWhole(closesAt)) return 'closesAt must be a whole number of milliseconds';
  if (closesAt > now + longestWindowMs) return 'closesAt must be at most 30 days from now';
  return validators.every(isValidator) ? null : 'validators must be names of 1–128 printable characters';
}

function newRecord({ epoch, closesAt, validators }: Opening, openedAt: number): EpochRecord {
  return {
    ...firstStates,
    epoch,
    openedAt,
    closesAt,
    closedAt: null,
    validators: [...new Set(validators)].sort(byText),
    reason: null,
    tally: null,
    localRoot: null,
    collectingAt: null,
    agreedAt: null,
    certifiedAt: null,
    undoneAt: null,
    root: null,
    transaction: null,
    finalizedAt: null,
    endedAt: null,
  };
}
