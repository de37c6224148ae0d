import { compareOrderKeys, type OrderKey, roughRank } from '../contract/order-key.ts';
import { type Order, SortedList } from '../memory/sorted-list.ts';
import type { PlacedNode } from './pool-node.ts';
import { compareBigints } from './price.ts';
import { isFloating, TippedPlace } from './tipped-place.ts';

interface Placed {
  readonly place: OrderKey;
}

/** The order of a list. `offset`: what the effective priorities in the list rise with. */
function byPlace(offset: () => bigint): Order<Placed> {
  return {
    rank: ({ place }) => roughRank(place, offset()),
    compare: (a, b) => compareOrderKeys(a.place, b.place),
  };
}

type RankedList = SortedList<PlacedNode, Placed>;

/**
 * The order of a pool: all Pending transactions that have an order key. Those that float (P29) are in a list of their own,
 * by what they pay above the floor: so the floor may move below them.
 */
export class Ranking {
  readonly #fixed: RankedList = new SortedList(byPlace(() => 0n));
  readonly #floating: RankedList;
  /** Those that follow the floor, by the floor at which their keys change. */
  readonly #turns: SortedList<PlacedNode, Turning> = new SortedList<PlacedNode, Turning>({
    rank: ({ place }) => Number(turnOf(place)),
    compare: (a, b) => compareBigints(turnOf(a.place), turnOf(b.place)) || a.seq - b.seq,
  });

  constructor(floor: () => bigint) {
    this.#floating = new SortedList(byPlace(floor));
  }

  get length(): number {
    return this.#fixed.length + this.#floating.length;
  }

  get first(): PlacedNode | undefined {
    const [first] = this;
    return first;
  }

  get last(): PlacedNode | undefined {
    if (this.#floating.length === 0) return this.#fixed.last;
    const [last] = this.backwards();
    return last;
  }

  /** True if one of them follows the floor. */
  get hasTips(): boolean {
    return this.#turns.length > 0;
  }

  insert(node: PlacedNode): void {
    this.#listOf(node).insert(node);
    if (node.place instanceof TippedPlace) this.#turns.insert(node);
  }

  delete(node: PlacedNode): void {
    this.#listOf(node).delete(node);
    if (node.place instanceof TippedPlace) this.#turns.delete(node);
  }

  #listOf({ place }: PlacedNode): RankedList {
    return isFloating(place) ? this.#floating : this.#fixed;
  }

  [Symbol.iterator](): IteratorObject<PlacedNode, undefined, unknown> {
    const [fixed, floating] = [this.#fixed, this.#floating];
    return floating.length === 0 ? fixed[Symbol.iterator]() : merged(fixed, floating, 1);
  }

  /** Those after a key, which need not be in the order. */
  after(key: Placed): Iterable<PlacedNode> {
    const fixed = this.#fixed.after(key);
    return this.#floating.length === 0 ? fixed : merged(fixed, this.#floating.after(key), 1);
  }

  /** From the last to the first. */
  backwards(): Iterable<PlacedNode> {
    const fixed = this.#fixed.backwards();
    return this.#floating.length === 0 ? fixed : merged(fixed, this.#floating.backwards(), -1);
  }

  /** Visits them from the first on until `visit` returns false. Several times as fast as the iterator where none floats. */
  walk(visit: (node: PlacedNode) => boolean): void {
    if (this.#floating.length === 0) this.#fixed.walk(visit);
    else for (const node of this) if (!visit(node)) return;
  }

  /** Those whose key changes, or may, when the floor moves between these two: others float, or stay. */
  crossedBy(before: bigint, floor: bigint): PlacedNode[] {
    const [low, high] = before < floor ? [before, floor] : [floor, before];
    // Those that are ready leave, or those that are parked. None of them floats.
    const ready = floor > before;
    const [from, end] = [{ place: lastFrom(ready, high) }, { place: lastFrom(ready, low) }];
    const count = this.#fixed.countAfter(from) - this.#fixed.countAfter(end);
    const crossed = [...this.#fixed.after(from).take(count)];
    for (const node of this.#turns.after({ place: { turn: low }, seq: 0 })) {
      if (turnOf(node.place) > high) break;
      crossed.push(node);
    }
    return crossed;
  }

  /** How many parked ones have an effective priority below the floor. */
  countBelow(floor: bigint): number {
    return this.#fixed.countAfter({ place: lastFrom(false, floor) });
  }
}

interface Turning {
  readonly place: OrderKey | Pick<TippedPlace, 'turn'>;
  readonly seq: number;
}

function turnOf(place: Turning['place']): bigint {
  return 'turn' in place ? place.turn : 0n;
}

/** Two lists in one order. `sign`: −1 if they come from the last to the first. */
function* merged(
  one: Iterable<PlacedNode>,
  other: Iterable<PlacedNode>,
  sign: 1 | -1,
): Generator<PlacedNode, undefined> {
  const [left, right] = [one[Symbol.iterator](), other[Symbol.iterator]()];
  let [a, b] = [left.next(), right.next()];
  while (!a.done && !b.done) {
    const isLeft = sign * compareOrderKeys(a.value.place, b.value.place) < 0;
    yield isLeft ? a.value : b.value;
    if (isLeft) a = left.next();
    else b = right.next();
  }
  for (; !a.done; a = left.next()) yield a.value;
  for (; !b.done; b = right.next()) yield b.value;
}

/** The key behind all keys of an effective priority of at least `bound`. */
function lastFrom(ready: boolean, bound: bigint): OrderKey {
  const last = Number.MAX_SAFE_INTEGER;
  return { ready, effectivePriority: bound, tieBreakSeq: last, depth: last, seq: last };
}
