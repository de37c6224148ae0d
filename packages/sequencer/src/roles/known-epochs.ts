import type { EpochRecord } from '../contract/epoch.ts';
import { isEnded } from '../rules/phases.ts';
import { Epochs } from '../store/epochs.ts';
import type { Namespace } from '../store/namespace.ts';

/** The fields of an epoch that never change. */
export type KnownEpoch = Pick<EpochRecord, 'epoch' | 'closesAt' | 'validators'>;
type Found = KnownEpoch | 'unknown-epoch' | 'closed';

/** The epochs that have not ended, as this process knows them. A message of a known epoch needs no read. */
export class KnownEpochs {
  readonly #namespace: Namespace;
  readonly #epochs: Epochs;
  readonly #forget: (epoch: number) => void;
  readonly #known = new Map<number, KnownEpoch>();
  readonly #finding = new Map<number, Promise<Found>>();

  /** `forget` is called for each known epoch that is not active any more. */
  constructor(namespace: Namespace, forget: (epoch: number) => void) {
    this.#namespace = namespace;
    this.#epochs = new Epochs(namespace);
    this.#forget = forget;
  }

  /** The epoch; `closed` if it has ended. The first messages of an epoch come together, and share one read. */
  async find(epoch: number): Promise<Found> {
    const known = this.#known.get(epoch);
    if (known !== undefined) return known;
    const before = this.#finding.get(epoch);
    // The epoch may have been opened after that read.
    if (before !== undefined && (await before) !== 'unknown-epoch') return before;
    const finding = this.#read(epoch).finally(() => this.#finding.delete(epoch));
    this.#finding.set(epoch, finding);
    return finding;
  }

  async #read(epoch: number): Promise<Found> {
    const record = await this.#epochs.find(epoch);
    if (record === null) return 'unknown-epoch';
    if (isEnded(record.phase)) return 'closed';
    this.#known.set(epoch, record);
    await this.#forgetEnded();
    return record;
  }

  /** A process that is a gateway only would keep the pools of all epochs open. */
  async #forgetEnded(): Promise<void> {
    const active = new Set(await this.#epochs.active());
    for (const epoch of this.#known.keys())
      if (!active.has(epoch)) {
        this.#known.delete(epoch);
        this.#forget(epoch);
      }
    await this.#namespace.closeOthers([...active]);
  }
}
