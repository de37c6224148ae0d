import { compareOrderKeys, type OrderKey } from '../contract/order-key.ts';
import type { LimitName } from '../contract/pool-verbs.ts';
import { hasTooManyDescendants, tooDeepBelow } from './graph.ts';
import { Parking, type Waiting } from './parking.ts';
import { childrenOf, isMet, parentsOf, placeOf } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import { isPlaced, type PoolNode } from './pool-node.ts';

interface Waiter extends Waiting {
  readonly node: PoolNode;
}

/** Parked transactions that one limit counts, the worst first, protected ones last (P22, P28). */
class Waiters {
  readonly #all = new Map<PoolNode, Waiter>();
  readonly #ordinary = new Parking<Waiter>([]);
  readonly #protected = new Parking<Waiter>([]);

  get worst(): PoolNode | undefined {
    return (this.#ordinary.worst ?? this.#protected.worst)?.node;
  }

  add(node: PoolNode, place: OrderKey): void {
    const waiter = { node, place, entry: node.entry };
    this.#all.set(node, waiter);
    this.#lineOf(waiter).add(waiter);
  }

  delete(node: PoolNode): void {
    const waiter = this.#all.get(node);
    if (waiter !== undefined) this.#lineOf(waiter).delete(waiter);
    this.#all.delete(node);
  }

  isWorse(one: PoolNode, than: PoolNode): boolean {
    const [worse, better] = [this.#all.get(one), this.#all.get(than)];
    if (worse === undefined || better === undefined) return false;
    const line = this.#lineOf(worse);
    return line === this.#lineOf(better) ? line.isWorse(worse, better) : line === this.#ordinary;
  }

  #lineOf({ entry }: Waiter): Parking<Waiter> {
    return entry.verdict.protected ? this.#protected : this.#ordinary;
  }
}

/** Whom the room is for. It is in the index, which need not be settled. */
export interface Arriving {
  readonly node: PoolNode;
  readonly ancestors: ReadonlySet<PoolNode>;
  /** How many others may leave for it if it is parked. */
  readonly evictions: number;
  /** The tags that it required already. */
  readonly required: readonly string[];
}

/**
 * Makes room around a transaction that comes or has a new verdict. Limits are charged to the transactions that wait (P22): it is
 * not refused because of parked ones that wait for it, and a ready one not because of parked ones at all. They leave. The
 * caller undoes the attempt after a refusal.
 */
export class WaitingRoom {
  readonly left: PoolNode[] = [];
  /** How many of them count for `maxEvictions`. */
  evicted = 0;
  readonly #index: PoolIndex;
  readonly #arriving: Arriving;
  readonly #place: OrderKey;
  readonly #placesBefore: ReadonlyMap<PoolNode, OrderKey | null>;

  constructor(index: PoolIndex, arriving: Arriving) {
    this.#index = index;
    this.#arriving = arriving;
    this.#place = placeOf(index, arriving.node);
    this.#placesBefore = new Map(index.attempted().map(({ node, before }) => [node, before?.place ?? null]));
  }

  /** Returns the limit that refuses the transaction, `null` if there is room now. */
  make(): LimitName | null {
    return this.#forAncestors() ?? this.#forDescendants() ?? this.#forTags();
  }

  /** Those that would have too many ancestors leave. */
  #forAncestors(): LimitName | null {
    const { node } = this.#arriving;
    for (const one of tooDeepBelow(this.#index, node)) {
      if (!this.#isWaiting(one)) return 'maxAncestors';
      this.#leave(one);
    }
    return null;
  }

  /** From the transaction up, so that no more leave than must. */
  #forDescendants(): LimitName | null {
    const { node, ancestors } = this.#arriving;
    if (!hasTooManyDescendants(this.#index, node, ancestors)) return null;
    const upwards = [...ancestors].filter(isPlaced).sort((a, b) => compareOrderKeys(b.place, a.place));
    const isRoom = [node, ...upwards].every((each) => this.#thinBelow(each));
    return isRoom ? null : 'maxDescendants';
  }

  #thinBelow(top: PoolNode): boolean {
    const { maxDescendants } = this.#index.limits;
    const below = this.#descendantsOf(top);
    if (below === null || below.size <= maxDescendants) return below !== null;
    const waiters = this.#waitersOf(below, top);
    while (below.size > maxDescendants) {
      const { worst } = waiters;
      if (worst === undefined || !this.#mayLeave(worst, waiters, top)) return false;
      this.#leave(worst);
      this.#detach(worst, top, below, waiters);
    }
    return true;
  }

  /** The descendants, or `null` as soon as more than allowed do not wait. */
  #descendantsOf(top: PoolNode): Set<PoolNode> | null {
    const met = new Set([top]);
    let staying = 0;
    for (const node of met)
      for (const child of childrenOf(this.#index, node)) {
        if (!met.has(child) && !this.#isWaiting(child)) staying += 1;
        if (staying > this.#index.limits.maxDescendants) return null;
        met.add(child);
      }
    met.delete(top);
    return met;
  }

  /** What depends on `top` through the one that left alone depends on it no longer. */
  #detach(left: PoolNode, top: PoolNode, below: Set<PoolNode>, waiters: Waiters): void {
    const gone = [left];
    for (const node of gone) {
      below.delete(node);
      waiters.delete(node);
      for (const child of childrenOf(this.#index, node)) {
        const isBelow = (parent: PoolNode): boolean => parent === top || below.has(parent);
        if (below.has(child) && ![...parentsOf(this.#index, child)].some(isBelow)) gone.push(child);
      }
    }
  }

  /** At most `maxDescendants` wait for a tag that nobody provides. */
  #forTags(): LimitName | null {
    if (this.#place.ready) return null;
    const { node, required } = this.#arriving;
    for (const tag of node.entry.verdict.requires) {
      if (required.includes(tag) || isMet(this.#index, tag) || this.#index.providers.has(tag)) continue;
      if (!this.#thinTag(tag)) return 'maxDescendants';
    }
    return null;
  }

  #thinTag(tag: string): boolean {
    const waiting = [...this.#index.dependents.of(tag)].filter(({ stage }) => stage === 'Pending');
    let excess = waiting.length - this.#index.limits.maxDescendants;
    if (excess <= 0) return true;
    const waiters = this.#waitersOf(waiting, null);
    for (; excess > 0; excess--) {
      const { worst } = waiters;
      if (worst === undefined || !this.#mayLeave(worst, waiters, null)) return false;
      this.#leave(worst);
      waiters.delete(worst);
    }
    return true;
  }

  /** Those that may leave, and the transaction itself if it waits with them. */
  #waitersOf(nodes: Iterable<PoolNode>, top: PoolNode | null): Waiters {
    const { node, ancestors } = this.#arriving;
    const waiters = new Waiters();
    for (const one of nodes) {
      const place = this.#placeBefore(one);
      if (one !== node && place?.ready === false && !ancestors.has(one)) waiters.add(one, place);
    }
    if (top !== node && !this.#place.ready) waiters.add(node, this.#place);
    return waiters;
  }

  #mayLeave(worst: PoolNode, waiters: Waiters, top: PoolNode | null): boolean {
    const { node, evictions } = this.#arriving;
    if (this.#place.ready || top === node) return true;
    if (this.evicted >= evictions || !waiters.isWorse(worst, node)) return false;
    this.evicted += 1;
    return true;
  }

  #leave(node: PoolNode): void {
    this.left.push(node);
    this.#index.move(node, 'Dropped');
  }

  #isWaiting(node: PoolNode): boolean {
    return this.#placeBefore(node)?.ready === false;
  }

  /** The order key before the call: a parked one may be ready now. */
  #placeBefore(node: PoolNode): OrderKey | null {
    const before = this.#placesBefore.get(node);
    return before === undefined ? node.place : before;
  }
}
