import { isGossipable, type PoolNode } from './pool-node.ts';
import { SortedList } from './sorted-list.ts';

/** A list that is made when it is asked for first, and kept up from then on: a pool that never asks pays nothing. */
class LazyList {
  readonly #keyOf: (node: PoolNode) => number | null;
  readonly #all: () => Iterable<PoolNode>;
  readonly #onMade: (list: LazyList) => void;
  #list: SortedList<PoolNode> | null = null;

  /** `keyOf`: by what it is sorted, `null` for what is not in the list. */
  constructor(
    keyOf: (node: PoolNode) => number | null,
    all: () => Iterable<PoolNode>,
    onMade: (list: LazyList) => void,
  ) {
    this.#keyOf = keyOf;
    this.#all = all;
    this.#onMade = onMade;
  }

  get list(): SortedList<PoolNode> {
    if (this.#list !== null) return this.#list;
    const keyOf = (node: PoolNode): number => this.#keyOf(node) ?? 0;
    const list = new SortedList<PoolNode>({ rough: keyOf, compare: (a, b) => a.seq - b.seq });
    for (const node of this.#all()) if (this.#keyOf(node) !== null) list.insert(node);
    this.#list = list;
    this.#onMade(this);
    return list;
  }

  add(node: PoolNode): void {
    if (this.#list !== null && this.#keyOf(node) !== null) this.#list.insert(node);
  }

  delete(node: PoolNode): void {
    if (this.#list !== null && this.#keyOf(node) !== null) this.#list.delete(node);
  }
}

const whilePending =
  (keyOf: (node: PoolNode) => number | null) =>
  (node: PoolNode): number | null =>
    node.stage === 'Pending' ? keyOf(node) : null;

/** Transactions by what time, blocks, peers and takers do with them. */
export class AgeLists {
  /** Pending ones by when they were first taken in. */
  readonly admitted: LazyList;
  readonly admittedHeight: LazyList;
  /** Pending ones that say how long they may wait. */
  readonly expiring: LazyList;
  readonly expiringHeight: LazyList;
  /** Pending ones by the height of their verdict. */
  readonly checked: LazyList;
  /** What peers may hear of, in the order in which it became ready. */
  readonly gossip: LazyList;
  /** What was taken, by when its lease ends. */
  readonly leased: LazyList;
  readonly #made: LazyList[] = [];

  constructor(all: () => Iterable<PoolNode>) {
    const lazy = (keyOf: (node: PoolNode) => number | null): LazyList =>
      new LazyList(keyOf, all, (made) => this.#made.push(made));
    this.admitted = lazy(whilePending(({ entry }) => entry.admittedAt));
    this.admittedHeight = lazy(whilePending(({ entry }) => entry.admittedHeight));
    this.expiring = lazy(whilePending(({ entry }) => entry.verdict.expiresAt));
    this.expiringHeight = lazy(whilePending(({ entry }) => entry.verdict.expiresAtHeight));
    this.checked = lazy(whilePending(({ entry }) => entry.checkedHeight));
    this.gossip = lazy((node) => (isGossipable(node) ? node.entry.gossipSeq : null));
    this.leased = lazy(({ entry }) => entry.lease?.untilMs ?? null);
  }

  add(node: PoolNode): void {
    for (const list of this.#made) list.add(node);
  }

  delete(node: PoolNode): void {
    for (const list of this.#made) list.delete(node);
  }
}
