import { bySeq, SortedList } from '../memory/sorted-list.ts';
import { isGossipable, type PoolNode, type Standing } from './pool-node.ts';

/** Returns `null` for a transaction that is not in the list. */
type KeyOf = (node: Standing) => number | null;

/** A place in a list. */
interface Aged {
  readonly age: number;
  readonly seq: number;
}

/** Transactions by a number, then by seq. The list is built at its first use and updated from then on, so most pools keep few. */
class AgeList implements Iterable<PoolNode> {
  readonly #keyOf: KeyOf;
  readonly #all: () => Iterable<PoolNode>;
  #made: SortedList<PoolNode, PoolNode | Aged> | null = null;

  constructor(keyOf: KeyOf, all: () => Iterable<PoolNode>) {
    this.#keyOf = keyOf;
    this.#all = all;
  }

  [Symbol.iterator](): Iterator<PoolNode, undefined> {
    return this.#list[Symbol.iterator]();
  }

  /** The transactions with a greater number, in order. */
  after(age: number): Iterable<PoolNode> {
    return this.#list.after({ age, seq: Number.POSITIVE_INFINITY });
  }

  /** Adds a transaction, unless it has the same place as before. */
  add(node: PoolNode, before: Standing | null): void {
    if (this.#made !== null && this.#differ(node, before)) this.#made.insert(node);
  }

  /** Removes a transaction, unless it will have the same place. */
  delete(node: PoolNode, next: Standing | null): void {
    if (this.#made !== null && this.#differ(node, next)) this.#made.delete(node);
  }

  /** True if `one` is in the list, and `other` is not or elsewhere. */
  #differ(one: Standing, other: Standing | null): boolean {
    const key = this.#keyOf(one);
    if (key === null) return false;
    return other === null || other.entry.seq !== one.entry.seq || this.#keyOf(other) !== key;
  }

  get #list(): SortedList<PoolNode, PoolNode | Aged> {
    if (this.#made !== null) return this.#made;
    const age = (one: PoolNode | Aged): number => ('age' in one ? one.age : (this.#keyOf(one) ?? 0));
    const made = new SortedList<PoolNode, PoolNode | Aged>({ rank: age, compare: bySeq.compare });
    for (const node of this.#all()) if (this.#keyOf(node) !== null) made.insert(node);
    this.#made = made;
    return made;
  }
}

const whilePending =
  (keyOf: (node: Standing) => number | null | undefined): KeyOf =>
  (node) =>
    node.stage === 'Pending' ? (keyOf(node) ?? null) : null;

const parkedAt: KeyOf = ({ place, entry }) =>
  place === null || place.ready || entry.notBefore !== undefined ? null : (entry.parkedAt ?? entry.admittedAt);

/** Lists of transactions by age, expiry, height of the verdict, gossip number and end of the claim. */
export class AgeLists {
  /** Pending transactions by the time of their admission. */
  readonly admitted: AgeList;
  readonly admittedHeight: AgeList;
  /** Pending transactions that are held back (P20), by the time until which they are. */
  readonly held: AgeList;
  /** Parked transactions by the time at which they were parked, without those that are held back (P20). */
  readonly parked: AgeList;
  /** Pending transactions whose verdict has an expiry time. */
  readonly expiring: AgeList;
  readonly expiringHeight: AgeList;
  /** Pending transactions by the height of their verdict. */
  readonly checked: AgeList;
  /** Transactions in flight or in the log, by the height of their verdict. */
  readonly checkedAway: AgeList;
  /** Transactions that may be sent to peers, in the order in which they became ready. */
  readonly gossip: AgeList;
  /** Taken transactions by the end of their claim. */
  readonly leased: AgeList;
  readonly #lists: AgeList[] = [];

  constructor(all: () => Iterable<PoolNode>) {
    const list = (keyOf: KeyOf): AgeList => {
      const made = new AgeList(keyOf, all);
      this.#lists.push(made);
      return made;
    };
    this.admitted = list(whilePending(({ entry }) => entry.admittedAt));
    this.admittedHeight = list(whilePending(({ entry }) => entry.admittedHeight));
    this.held = list(whilePending(({ entry }) => entry.notBefore));
    this.parked = list(whilePending(parkedAt));
    this.expiring = list(whilePending(({ entry }) => entry.verdict.expiresAt));
    this.expiringHeight = list(whilePending(({ entry }) => entry.verdict.expiresAtHeight));
    this.checked = list(whilePending(({ entry }) => entry.checkedHeight));
    this.checkedAway = list(({ stage, entry }) => (stage === 'Pending' ? null : entry.checkedHeight));
    // Gossip numbers begin at 1. A transaction that has just become ready gets its number at the end of the call.
    this.gossip = list((node) => (isGossipable(node) ? node.entry.gossipSeq || null : null));
    this.leased = list(({ entry }) => entry.claim?.untilMs ?? null);
  }

  /** Adds a transaction to the lists in which it was not, or was elsewhere. */
  add(node: PoolNode, before: Standing | null): void {
    for (const list of this.#lists) list.add(node, before);
  }

  /** Removes a transaction from the lists in which it will not be, or will be elsewhere. */
  delete(node: PoolNode, next: Standing | null): void {
    for (const list of this.#lists) list.delete(node, next);
  }
}
