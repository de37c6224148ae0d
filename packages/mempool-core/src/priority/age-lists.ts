import { AgeList } from './age-list.ts';
import { isGossipable, type PoolNode } from './pool-node.ts';

type KeyOf = ConstructorParameters<typeof AgeList>[0];

/** A list that is made when it is asked for first, and kept up from then on: a pool that never asks pays nothing. */
class LazyList {
  readonly #keyOf: KeyOf;
  readonly #all: () => Iterable<PoolNode>;
  readonly #onMade: (list: LazyList) => void;
  #list: AgeList | null = null;

  constructor(keyOf: KeyOf, all: () => Iterable<PoolNode>, onMade: (list: LazyList) => void) {
    this.#keyOf = keyOf;
    this.#all = all;
    this.#onMade = onMade;
  }

  get list(): AgeList {
    if (this.#list !== null) return this.#list;
    const list = new AgeList(this.#keyOf);
    for (const node of this.#all()) list.add(node);
    this.#list = list;
    this.#onMade(this);
    return list;
  }

  add(node: PoolNode): void {
    this.#list?.add(node);
  }

  delete(node: PoolNode): void {
    this.#list?.delete(node);
  }
}

const whilePending =
  (keyOf: KeyOf): KeyOf =>
  (node) =>
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
  /** What is in flight or in the log, by the height of its verdict. */
  readonly checkedAway: LazyList;
  /** What peers may hear of, in the order in which it became ready. */
  readonly gossip: LazyList;
  /** What was taken, by when its lease ends. */
  readonly leased: LazyList;
  readonly #made: LazyList[] = [];

  constructor(all: () => Iterable<PoolNode>) {
    const lazy = (keyOf: KeyOf): LazyList => new LazyList(keyOf, all, (made) => this.#made.push(made));
    this.admitted = lazy(whilePending(({ entry }) => entry.admittedAt));
    this.admittedHeight = lazy(whilePending(({ entry }) => entry.admittedHeight));
    this.expiring = lazy(whilePending(({ entry }) => entry.verdict.expiresAt));
    this.expiringHeight = lazy(whilePending(({ entry }) => entry.verdict.expiresAtHeight));
    this.checked = lazy(whilePending(({ entry }) => entry.checkedHeight));
    this.checkedAway = lazy(({ stage, entry }) => (stage === 'Pending' ? null : entry.checkedHeight));
    // Numbers begin at 1; one that has just become ready gets its own at the end of the call.
    this.gossip = lazy((node) => (isGossipable(node) ? node.entry.gossipSeq || null : null));
    this.leased = lazy(({ entry }) => entry.lease?.untilMs ?? null);
  }

  add(node: PoolNode): void {
    for (const list of this.#made) list.add(node);
  }

  delete(node: PoolNode): void {
    for (const list of this.#made) list.delete(node);
  }
}
