import { nobodysTag } from '../rules/damage.ts';
import type { PoolIndex } from './pool-index.ts';
import { isOut, type PoolNode } from './pool-node.ts';

// P33: of two live transactions that provide the same tag, one is in flight, and the Pending one waits behind it.

/** True if a newcomer may wait behind it: its claim lasts and says so. */
export function isReplaceable({ stage, entry }: PoolNode): boolean {
  return stage === 'Propagated' && entry.claim?.replaceable === true;
}

/** True if one of them is in flight, and the other one is Pending. */
export function isBehindOther(a: PoolNode, b: PoolNode): boolean {
  return (a.stage === 'Pending' && isOut(b.stage)) || (isOut(a.stage) && b.stage === 'Pending');
}

/** True if a Pending transaction, which need not be in the index yet, waits behind another one. */
export function isBehind(index: PoolIndex, node: PoolNode): boolean {
  const { providers } = index;
  if (mayBeBehindLost(index, node)) return true;
  for (const tag of node.entry.verdict.provides) {
    const all = providers.of(tag);
    // Nearly always it is the only one.
    if (all.size === 1 && all.has(node)) continue;
    for (const provider of all) if (isOut(provider.stage)) return true;
  }
  return false;
}

/**
 * M2: true if a transaction whose verdict is damaged may provide a tag of this one, and is in flight or Confirmed. What was
 * ready before has no rival there: it has a gossip number.
 */
function mayBeBehindLost({ lostOut }: PoolIndex, { entry }: PoolNode): boolean {
  return lostOut.size > 0 && entry.gossipSeq === 0 && entry.verdict.provides.length > 0;
}

/** M2: true for a parked one that was ready until another verdict was damaged. No call has parked it, so its time is not known. */
export function isParkedByDamage({ dependents }: PoolIndex, { entry }: Pick<PoolNode, 'entry'>): boolean {
  return entry.parkedAt === undefined && entry.gossipSeq > 0 && dependents.has(nobodysTag);
}

/** The transaction that takes the place of one that has come back from flight: of several the first by seq. */
export function successorOf({ providers }: PoolIndex, node: PoolNode): PoolNode | undefined {
  let first: PoolNode | undefined;
  for (const tag of node.entry.verdict.provides)
    for (const other of providers.of(tag))
      if (other !== node && other.stage === 'Pending' && (first === undefined || other.seq < first.seq)) first = other;
  return first;
}
