import type { Entry } from '../contract/pool-entry.ts';

const gasUnit = 2 ** 26;

/** What the limits count: Pending, Propagated and Acknowledged transactions. */
export class Totals {
  transactions = 0;
  bytes = 0;
  /**
   * In two parts, each a safe integer: a sum of large ones would be rounded, and what leaves would not leave it as it
   * was.
   */
  #gasUnits = 0;
  #gasRest = 0;
  /** How many of each sender but the empty one. */
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

  #count({ bytes, verdict: { gas, sender } }: Entry, by: 1 | -1): void {
    this.transactions += by;
    this.bytes += by * bytes;
    this.#gasUnits += by * Math.floor(gas / gasUnit);
    this.#gasRest += by * (gas % gasUnit);
    if (sender === '') return;
    const count = (this.senders.get(sender) ?? 0) + by;
    if (count === 0) this.senders.delete(sender);
    else this.senders.set(sender, count);
  }
}
