import { compareOrderKeys, type OrderKey } from '../contract/order-key.ts';
import type { PlacedNode } from './pool-node.ts';
import { SortedList } from './sorted-list.ts';

/** The parked transactions of one sender. Transactions without a sender count as those of one sender, ''. */
interface Lot {
  readonly nodes: SortedList<PlacedNode, { readonly place: OrderKey }>;
  /** The last of them in the order. */
  worst: PlacedNode;
}

/**
 * The parked transactions in the order in which they are evicted (P22): the lowest effective priority first, then those of
 * the sender with the most parked transactions, then the last in the pool's order. A change updates two sorted lists: one
 * of senders, and one of the sender's transactions.
 */
export class Parking {
  readonly #lots = new Map<string, Lot>();
  /** Worst first. A lot is out of it while it changes. */
  readonly #ranks: SortedList<Lot> = new SortedList<Lot>({
    rough: ({ worst }) => Number(worst.place.effectivePriority),
    compare: (a, b) =>
      compareBigints(a.worst.place.effectivePriority, b.worst.place.effectivePriority) ||
      b.nodes.length - a.nodes.length ||
      compareOrderKeys(b.worst.place, a.worst.place),
    show: () => undefined,
  });

  constructor(parked: Iterable<PlacedNode>) {
    for (const node of parked) this.add(node);
  }

  /** The transaction that is evicted first. */
  get worst(): PlacedNode | undefined {
    return this.#ranks.first?.worst;
  }

  /** Returns how many of a sender's transactions are parked. */
  count(sender: string): number {
    return this.#lots.get(sender)?.nodes.length ?? 0;
  }

  add(node: PlacedNode): void {
    const { sender } = node.entry.verdict;
    const lot = this.#lots.get(sender) ?? { nodes: newLot(), worst: node };
    if (lot.nodes.length === 0) this.#lots.set(sender, lot);
    else this.#ranks.delete(lot);
    lot.nodes.insert(node);
    this.#rank(lot);
  }

  /** Removes a transaction. Call it before its place changes. */
  delete(node: PlacedNode): void {
    const { sender } = node.entry.verdict;
    const lot = this.#lots.get(sender);
    if (lot === undefined) return;
    this.#ranks.delete(lot);
    lot.nodes.delete(node);
    if (lot.nodes.length === 0) this.#lots.delete(sender);
    else this.#rank(lot);
  }

  #rank(lot: Lot): void {
    lot.worst = lot.nodes.last as PlacedNode;
    this.#ranks.insert(lot);
  }
}

function newLot(): Lot['nodes'] {
  return new SortedList({
    rough: ({ place }) => -Number(place.effectivePriority),
    compare: (a, b) => compareOrderKeys(a.place, b.place),
    show: () => undefined,
  });
}

function compareBigints(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
