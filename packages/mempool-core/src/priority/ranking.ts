import { compareOrderKeys, type OrderKey, roughRank } from '../contract/order-key.ts';
import type { PlacedNode } from './pool-node.ts';
import { SortedList } from './sorted-list.ts';

/**
 * All that a budget asks of a transaction in the order, and all that is told of it: nothing that changes while it has
 * its place.
 */
export interface RankedItem {
  readonly hash: string;
  readonly seq: number;
  readonly bytes: number;
  readonly gas: number;
  readonly priority: bigint;
  readonly isReady: boolean;
  /** Whether it requires anything. */
  readonly isBound: boolean;
}

/** The one order: every Pending transaction that is placed. */
export class Ranking extends SortedList<PlacedNode, { readonly place: OrderKey }, RankedItem> {
  constructor() {
    super({
      rough: ({ place }) => roughRank(place),
      compare: (a, b) => compareOrderKeys(a.place, b.place),
      show: standingOf,
    });
  }
}

function standingOf({ hash, entry, place }: PlacedNode): RankedItem {
  const { seq, bytes, verdict } = entry;
  const { gas, priority, requires } = verdict;
  return { hash, seq, bytes, gas, priority, isReady: place.ready, isBound: requires.length > 0 };
}
