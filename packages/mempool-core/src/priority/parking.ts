import { compareOrderKeys, type OrderKey } from '../contract/order-key.ts';
import type { PlacedNode } from './pool-node.ts';
import { SortedList } from './sorted-list.ts';

/** The parked transactions of one sender. Those without a sender are of one sender, the empty one. */
interface Lot {
  readonly nodes: SortedList<PlacedNode, { readonly place: OrderKey }>;
  /** The last of them in the order. */
  worst: PlacedNode;
}

/**
 * The parked transactions by how little they deserve their place (P22): the lowest effective priority first; of equals,
 * the sender with most parked transactions; of equals, the last in the order. A change costs what one sorted list of
 * senders and one of the sender's transactions cost.
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

  /** The one that leaves first. */
  get worst(): PlacedNode | undefined {
    return this.#ranks.first?.worst;
  }

  /** How many of a sender's transactions are parked. */
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

  /** To be called before its place changes. */
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
