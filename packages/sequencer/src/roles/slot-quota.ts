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

  count(epoch: number, slot: number): void {
    const slots = this.#epochs.get(epoch) ?? new Map<number, number>();
    this.#epochs.set(epoch, slots.set(slot, (slots.get(slot) ?? 0) + 1));
  }

  forget(epoch: number): void {
    this.#epochs.delete(epoch);
  }
}
