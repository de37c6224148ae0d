import type { PlaceStep } from '../rules/step.ts';
import { isParked, type PoolNode, type UndoEntry } from './pool-node.ts';

/**
 * P24: the events of transactions that a call parked or made ready, by seq. What becomes Pending and is ready has none: its
 * own event tells all.
 */
export function placeEvents(touched: readonly UndoEntry[]): PlaceStep[] {
  const events: PlaceStep[] = [];
  for (const { node, before } of touched) {
    const { hash, seq } = node;
    const wasParked = before !== null && before.entry.seq === seq && isParked(before);
    const isNow = isParked(node);
    if (isNow && !wasParked) events.push({ kind: 'parked', hash, seq, reason: reasonOf(node) });
    if (wasParked && node.place?.ready === true) events.push({ kind: 'ready', hash, seq });
  }
  return events.sort((a, b) => a.seq - b.seq);
}

function reasonOf({ entry }: PoolNode): 'held' | 'missing' {
  return entry.notBefore === undefined ? 'missing' : 'held';
}
