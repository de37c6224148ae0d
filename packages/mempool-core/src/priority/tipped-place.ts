import type { Limits } from '../contract/limits.ts';
import { type OrderKey, orderKeyBelow } from '../contract/order-key.ts';
import type { Entry } from '../contract/pool-entry.ts';
import { type CheckedVerdict, priorityAt } from '../contract/verdict.ts';

/** Where the present floor is read. */
interface FloorSource {
  readonly limits: Pick<Limits, 'minPriority'>;
}

interface TippedParts {
  readonly most: bigint;
  readonly tip: bigint;
  readonly ready: boolean;
}

/**
 * P29: the order key of a transaction with a tip, or below one with a tip. Its effective priority is the lower of `most` and
 * floor + `tip`: each is the lowest of the transaction and its Pending ancestors. While it *floats*, the tip decides. A
 * moving floor moves all that float alike, so they keep their order, and nothing is computed. All else of the key changes
 * only when the floor reaches, passes or leaves `turn`.
 */
export class TippedPlace implements OrderKey {
  readonly ready: boolean;
  readonly tieBreakSeq: number;
  readonly depth: number;
  readonly seq: number;
  readonly most: bigint;
  readonly tip: bigint;
  readonly floats: boolean;
  readonly #source: FloorSource;

  constructor(source: FloorSource, { tieBreakSeq, depth, seq }: OrderKey, { most, tip, ready }: TippedParts) {
    this.ready = ready;
    this.tieBreakSeq = tieBreakSeq;
    this.depth = depth;
    this.seq = seq;
    this.most = most;
    this.tip = tip;
    this.floats = source.limits.minPriority + tip < most;
    this.#source = source;
  }

  get effectivePriority(): bigint {
    return this.floats ? this.#source.limits.minPriority + this.tip : this.most;
  }

  /** The floor from which on `most` decides. */
  get turn(): bigint {
    return this.most - this.tip;
  }
}

/** The order key below these parents. Below the floor it is parked (P26). */
export function keyAt(
  source: FloorSource,
  parents: readonly OrderKey[],
  { seq, verdict }: Pick<Entry, 'seq'> & { readonly verdict: Pick<CheckedVerdict, 'priority' | 'tip'> },
  ready: boolean,
): OrderKey {
  const { minPriority: floor } = source.limits;
  const key = orderKeyBelow(parents, priorityAt(verdict, floor), seq, ready);
  const isReady = ready && key.effectivePriority >= floor;
  let { priority: most, tip } = verdict;
  for (const parent of parents) {
    const isTipped = parent instanceof TippedPlace;
    most = lower(most, isTipped ? parent.most : parent.effectivePriority);
    if (isTipped) tip = tip === undefined ? parent.tip : lower(tip, parent.tip);
  }
  if (tip !== undefined) return new TippedPlace(source, key, { most, tip, ready: isReady });
  return ready === isReady ? key : { ...key, ready: false };
}

function lower(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** True if the effective priority follows the floor now. */
export function isFloating(place: OrderKey): boolean {
  return place instanceof TippedPlace && place.floats;
}

/** True for equal keys that also follow the floor alike. */
export function isSamePlace(a: OrderKey, b: OrderKey): boolean {
  return (
    a.ready === b.ready &&
    a.effectivePriority === b.effectivePriority &&
    a.tieBreakSeq === b.tieBreakSeq &&
    a.depth === b.depth &&
    a.seq === b.seq &&
    followAlike(a, b)
  );
}

function followAlike(a: OrderKey, b: OrderKey): boolean {
  if (!(a instanceof TippedPlace) || !(b instanceof TippedPlace))
    return !(a instanceof TippedPlace) && !(b instanceof TippedPlace);
  return a.most === b.most && a.tip === b.tip && a.floats === b.floats;
}
