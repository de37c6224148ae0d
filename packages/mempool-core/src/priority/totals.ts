import type { Entry } from './entry.ts';

/** What the limits count: Pending, Propagated and Acknowledged transactions. */
export class Totals {
  transactions = 0;
  bytes = 0;
  gas = 0;
  /** How many of each sender but the empty one. */
  readonly senders: Map<string, number> = new Map();

  add(entry: Entry): void {
    this.#count(entry, 1);
  }

  remove(entry: Entry): void {
    this.#count(entry, -1);
  }

  #count({ bytes, verdict: { gas, sender } }: Entry, by: 1 | -1): void {
    this.transactions += by;
    this.bytes += by * bytes;
    this.gas += by * gas;
    if (sender === '') return;
    const count = (this.senders.get(sender) ?? 0) + by;
    if (count === 0) this.senders.delete(sender);
    else this.senders.set(sender, count);
  }
}
