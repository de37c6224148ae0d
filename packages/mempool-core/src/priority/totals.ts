import type { Entry } from '../contract/pool-entry.ts';

const gasUnit = 2 ** 26;

/** The totals that the limits count: Pending, Propagated and Acknowledged transactions. */
export class Totals {
  transactions = 0;
  bytes = 0;
  /** P28. */
  protected = 0;
  /** The gas in two parts, each a safe integer. A single sum would be rounded, and a removal would not restore it. */
  #gasUnits = 0;
  #gasRest = 0;
  /** The number of transactions of each sender except the empty one. */
  readonly senders: Map<string, number> = new Map();

  get gas(): number {
    return this.#gasUnits * gasUnit + this.#gasRest;
  }

  add(entry: Entry): void {
    this.#count(entry, 1);
  }

  remove(entry: Entry): void {
    this.#count(entry, -1);
  }

  #count({ bytes, verdict }: Entry, by: 1 | -1): void {
    const { gas, sender } = verdict;
    this.transactions += by;
    if (verdict.protected) this.protected += by;
    this.bytes += by * bytes;
    this.#gasUnits += by * Math.floor(gas / gasUnit);
    this.#gasRest += by * (gas % gasUnit);
    if (sender === '') return;
    const count = (this.senders.get(sender) ?? 0) + by;
    if (count === 0) this.senders.delete(sender);
    else this.senders.set(sender, count);
  }
}
