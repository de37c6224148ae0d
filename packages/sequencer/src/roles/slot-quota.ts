import type { Accepted } from '../contract/submission.ts';

/** Counts what each slot has sent for each epoch, in this process. */
export class SlotQuota {
  readonly #limit: number;
  readonly #epochs = new Map<number, Map<number, number>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  isUsedUp(epoch: number, slot: number): boolean {
    return (this.#epochs.get(epoch)?.get(slot) ?? 0) >= this.#limit;
  }

  /** Counts a message while it is stored, and from then on if it was. So messages that come at once are no more than the limit. */
  async counted(epoch: number, slot: number, store: () => Promise<Accepted>): Promise<Accepted> {
    this.#add(epoch, slot, 1);
    let isReceived = false;
    try {
      const accepted = await store();
      isReceived = accepted.kind === 'received';
      return accepted;
    } finally {
      if (!isReceived) this.#add(epoch, slot, -1);
    }
  }

  #add(epoch: number, slot: number, by: 1 | -1): void {
    const slots = this.#epochs.get(epoch) ?? new Map<number, number>();
    // An epoch that was forgotten meanwhile has nothing to give back.
    if (by === 1) this.#epochs.set(epoch, slots);
    slots.set(slot, (slots.get(slot) ?? 0) + by);
  }

  forget(epoch: number): void {
    this.#epochs.delete(epoch);
  }
}
