import { nobodysTag } from '../rules/damage.ts';
import type { PoolIndex } from './pool-index.ts';
import type { PoolNode } from './pool-node.ts';

/**
 * M2: true if a transaction whose verdict is damaged may provide a tag of this one, and is in flight or Confirmed. What was
 * ready before has no rival there: it has a gossip number.
 */
export function mayRivalLost({ lostOut }: PoolIndex, { entry }: PoolNode): boolean {
  return lostOut.size > 0 && entry.gossipSeq === 0 && entry.verdict.provides.length > 0;
}

/** M2: true for a parked one that was ready until another verdict was damaged. No call has parked it, so its time is not known. */
export function isParkedByDamage({ dependents }: PoolIndex, { entry }: Pick<PoolNode, 'entry'>): boolean {
  return entry.parkedAt === undefined && entry.gossipSeq > 0 && dependents.has(nobodysTag);
}
