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
}

function standingOf({ hash, entry, place }: PlacedNode): RankedItem {
  const { seq, bytes, verdict } = entry;
  const { gas, priority, requires } = verdict;
  return { hash, seq, bytes, gas, priority, isReady: place.ready, isBound: requires.length > 0 };
}
