import type { ParkedReason } from '../contract/events.ts';
import type { PlaceStep } from '../rules/step.ts';
import { isBelowFloor } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import { isParked, type PoolNode } from './pool-node.ts';

/**
 * Returns the `ready` and `parked` events of a call, by seq (P24). A transaction that becomes Pending and ready has none,
 * because its `transaction` event is enough.
 */
export function placeEvents(index: PoolIndex): PlaceStep[] {
  const events: PlaceStep[] = [];
  for (const { node, before } of index.touched()) {
    const { hash, seq } = node;
    const wasParked = before !== null && before.entry.seq === seq && isParked(before);
    const isNow = isParked(node);
    if (isNow && !wasParked) events.push({ kind: 'parked', hash, seq, reason: reasonOf(index, node) });
    if (wasParked && node.place?.ready === true) events.push({ kind: 'ready', hash, seq });
  }
  return events.sort((a, b) => a.seq - b.seq);
}

function reasonOf(index: PoolIndex, node: PoolNode): ParkedReason {
  const { entry, place } = node;
  if (entry.notBefore !== undefined) return 'held';
  if (place !== null && isBelowFloor(index, place)) return 'below-floor';
  return 'missing';
}
