import { compareOrderKeys, type OrderKey, roughRank } from '../contract/order-key.ts';
import type { PlacedNode } from './pool-node.ts';
import { SortedList } from './sorted-list.ts';

/** The fields of a transaction for budgets and answers. They do not change while its order key stays the same. */
export interface RankedItem {
  readonly hash: string;
  readonly seq: number;
  readonly bytes: number;
  readonly gas: number;
  readonly priority: bigint;
  readonly isReady: boolean;
  /** True if it requires a tag. */
  readonly isBound: boolean;
}

/** The order of a pool: all Pending transactions that have an order key. */
export class Ranking extends SortedList<PlacedNode, { readonly place: OrderKey }, RankedItem> {
  constructor() {
    super({
      rough: ({ place }) => roughRank(place),
      compare: (a, b) => compareOrderKeys(a.place, b.place),
      show: standingOf,
    });
  }

  /** Iterates over the ready or the parked ones whose effective priority is at least `least` and below `bound`. */
  *between(ready: boolean, least: bigint, bound: bigint): Generator<PlacedNode, undefined> {
    for (const node of this.after({ place: lastFrom(ready, bound) })) {
      const { place } = node;
      if (place.ready !== ready || place.effectivePriority < least) return;
      yield node;
    }
  }

  /** How many parked ones have an effective priority below `bound`. */
  countBelow(bound: bigint): number {
    return this.countAfter({ place: lastFrom(false, bound) });
  }
}

/** The key behind all keys of an effective priority of at least `bound`. */
function lastFrom(ready: boolean, bound: bigint): OrderKey {
  const last = Number.MAX_SAFE_INTEGER;
  return { ready, effectivePriority: bound, tieBreakSeq: last, depth: last, seq: last };
}

function standingOf({ hash, entry, place }: PlacedNode): RankedItem {
  const { seq, bytes, verdict } = entry;
  const { gas, priority, requires } = verdict;
  return { hash, seq, bytes, gas, priority, isReady: place.ready, isBound: requires.length > 0 };
}
