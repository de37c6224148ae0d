/** Counts the submissions that this process has stored in each epoch, for each sender. */
export class Quota {
  readonly #epochs = new Map<number, Map<string, number>>();

  /** Counts a message of the sender, unless `limit` of them are counted. False: there are. */
  take(epoch: number, sender: string, limit: number): boolean {
    const senders = this.#epochs.get(epoch) ?? new Map<string, number>();
    this.#epochs.set(epoch, senders);
    const count = senders.get(sender) ?? 0;
    if (count >= limit) return false;
    senders.set(sender, count + 1);
    return true;
  }

  /** Takes back one message that was not stored. */
  giveBack(epoch: number, sender: string): void {
    const senders = this.#epochs.get(epoch);
    const count = senders?.get(sender) ?? 0;
    if (count > 0) senders?.set(sender, count - 1);
  }

  forget(epoch: number): void {
    this.#epochs.delete(epoch);
  }
}
