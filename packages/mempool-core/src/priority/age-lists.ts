import { bySeq, SortedList } from '../memory/sorted-list.ts';
import { isGossipable, type PoolNode, type Standing } from './pool-node.ts';

/** Returns `null` for a transaction that is not in the list. */
type KeyOf = (node: Standing) => number | null;

/** A place in a list. */
interface Aged {
  readonly age: number;
  readonly seq: number;
}

/** Transactions by a number, then by seq. */
class AgeList implements Iterable<PoolNode> {
  readonly #keyOf: KeyOf;
  readonly #list: SortedList<PoolNode, PoolNode | Aged>;

  constructor(keyOf: KeyOf) {
    this.#keyOf = keyOf;
    const age = (one: PoolNode | Aged): number => ('age' in one ? one.age : (keyOf(one) ?? 0));
    this.#list = new SortedList<PoolNode, PoolNode | Aged>({ rank: age, compare: bySeq.compare });
  }

  get length(): number {
    return this.#list.length;
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
    if (this.#differ(node, before)) this.#list.insert(node);
  }

  /** Removes a transaction, unless it will have the same place. */
  delete(node: PoolNode, next: Standing | null): void {
    if (this.#differ(node, next)) this.#list.delete(node);
  }

  /** True if `one` is in the list, and `other` is not or elsewhere. */
  #differ(one: Standing, other: Standing | null): boolean {
    const key = this.#keyOf(one);
    if (key === null) return false;
    return other === null || other.entry.seq !== one.entry.seq || this.#keyOf(other) !== key;
  }
}

function whilePending(keyOf: (node: Standing) => number | null | undefined): AgeList {
  return new AgeList((node) => (node.stage === 'Pending' ? (keyOf(node) ?? null) : null));
}

const parkedAt: KeyOf = ({ place, entry }) =>
  place === null || place.ready || entry.notBefore !== undefined ? null : (entry.parkedAt ?? entry.admittedAt);

/** Lists of transactions by age, expiry, height of the verdict, gossip number and end of the claim. */
export class AgeLists {
  /** Pending transactions by the time of their admission. */
  readonly admitted: AgeList = whilePending(({ entry }) => entry.admittedAt);
  readonly admittedHeight: AgeList = whilePending(({ entry }) => entry.admittedHeight);
  /** Pending transactions that are held back (P20), by the time until which they are. */
  readonly held: AgeList = whilePending(({ entry }) => entry.notBefore);
  /** Parked transactions by the time at which they were parked, without those that are held back (P20). */
  readonly parked: AgeList = whilePending(parkedAt);
  /** Pending transactions whose verdict has an expiry time. */
  readonly expiring: AgeList = whilePending(({ entry }) => entry.verdict.expiresAt);
  readonly expiringHeight: AgeList = whilePending(({ entry }) => entry.verdict.expiresAtHeight);
  /** Pending transactions by the height of their verdict. */
  readonly checked: AgeList = whilePending(({ entry }) => entry.checkedHeight);
  /** Transactions in flight or in the log, by the height of their verdict. */
  readonly checkedAway: AgeList = new AgeList(({ stage, entry }) => (stage === 'Pending' ? null : entry.checkedHeight));
  /**
   * Transactions that may be sent to peers, in the order in which they became ready. Gossip numbers begin at 1. A transaction that
   * has just become ready gets its number at the end of the call.
   */
  readonly gossip: AgeList = new AgeList((node) => (isGossipable(node) ? node.entry.gossipSeq || null : null));
  /** Taken transactions by the end of their claim. */
  readonly leased: AgeList = new AgeList(({ entry }) => entry.claim?.untilMs ?? null);
  readonly #lists: readonly AgeList[] = Object.values(this);

  /** Adds a transaction to the lists in which it was not, or was elsewhere. */
  add(node: PoolNode, before: Standing | null): void {
    for (const list of this.#lists) list.add(node, before);
  }

  /** Removes a transaction from the lists in which it will not be, or will be elsewhere. */
  delete(node: PoolNode, next: Standing | null): void {
    for (const list of this.#lists) list.delete(node, next);
  }
}
