import { compareOrderKeys, type OrderKey } from '../contract/order-key.ts';
import { SortedList } from '../memory/sorted-list.ts';
import type { PlacedNode, PoolNode } from './pool-node.ts';
import { compareBigints } from './price.ts';

/** A parked transaction with its order key. */
export type Waiting = Pick<PoolNode, 'entry'> & { readonly place: OrderKey };

/** The parked transactions of one sender. Transactions without a sender count as those of one sender, ''. */
interface Lot<One extends Waiting> {
  readonly nodes: SortedList<One, { readonly place: OrderKey }>;
  /** The last of them in the order. */
  worst: One;
}

/**
 * Parked transactions in the order in which they are evicted (P22): the lowest effective priority first, then those of
 * the sender with the most parked transactions, then the last in the pool's order. A change updates two sorted lists: one
 * of senders, and one of the sender's transactions.
 */
export class Parking<One extends Waiting = PlacedNode> {
  readonly #lots = new Map<string, Lot<One>>();
  /** Worst first. A lot is out of it while it changes. */
  readonly #ranks: SortedList<Lot<One>> = new SortedList<Lot<One>>({
    rank: ({ worst }) => Number(worst.place.effectivePriority),
    compare: (a, b) =>
      compareBigints(a.worst.place.effectivePriority, b.worst.place.effectivePriority) ||
      b.nodes.length - a.nodes.length ||
      compareOrderKeys(b.worst.place, a.worst.place),
  });

  constructor(parked: Iterable<One>) {
    for (const node of parked) this.add(node);
  }

  /** The transaction that is evicted first. */
  get worst(): One | undefined {
    return this.#ranks.first?.worst;
  }

  /** The one of a sender's transactions that is evicted first. */
  worstOf(sender: string): One | undefined {
    return this.#lots.get(sender)?.worst;
  }

  /** Returns how many of a sender's transactions are parked. */
  count(sender: string): number {
    return this.#lots.get(sender)?.nodes.length ?? 0;
  }

  add(node: One): void {
    const { sender } = node.entry.verdict;
    const lot = this.#lots.get(sender) ?? { nodes: newLot<One>(), worst: node };
    if (lot.nodes.length === 0) this.#lots.set(sender, lot);
    else this.#ranks.delete(lot);
    lot.nodes.insert(node);
    this.#rank(lot);
  }

  /** Removes a transaction. Call it before its place changes. */
  delete(node: One): void {
    const { sender } = node.entry.verdict;
    const lot = this.#lots.get(sender);
    if (lot === undefined) return;
    this.#ranks.delete(lot);
    lot.nodes.delete(node);
    if (lot.nodes.length === 0) this.#lots.delete(sender);
    else this.#rank(lot);
  }

  /** True if one of them is worse than another, by its effective priority or by the number that its sender has here. */
  isWorse(one: One, than: One): boolean {
    const [least, own] = [one.place.effectivePriority, than.place.effectivePriority];
    if (least !== own) return least < own;
    return this.count(one.entry.verdict.sender) > this.count(than.entry.verdict.sender);
  }

  #rank(lot: Lot<One>): void {
    lot.worst = lot.nodes.last as One;
    this.#ranks.insert(lot);
  }
}

function newLot<One extends Waiting>(): Lot<One>['nodes'] {
  return new SortedList({
    rank: ({ place }) => -Number(place.effectivePriority),
    compare: (a, b) => compareOrderKeys(a.place, b.place),
  });
}
