import type { Block } from '../contract/store.ts';
import type { ChainPoint } from '../contract/transaction.ts';
import { type ChainRing, type RingBlock, sameEnd } from './chain-ring.ts';

/** The next action that makes a pool follow a chain. */
export type SyncPlan =
  /** Do nothing, because the pool is at the end of the chain, or beyond it on blocks that may still arrive. */
  | { readonly kind: 'wait'; readonly common: ChainPoint | null }
  /** Apply these blocks in this order after `from`. If `from` is not the pool's tip, roll the pool back to it first. */
  | { readonly kind: 'apply'; readonly from: ChainPoint | null; readonly blocks: readonly Block[] }
  /** Read the pool's tip again, because the common point may be older than the pool's points given here. */
  | { readonly kind: 'read' }
  /** Do nothing, because the chain ends before the oldest point that the pool has kept. */
  | { readonly kind: 'behind' }
  /** Ask the source for blocks, because chain and pool have no common point, or blocks between them are no longer kept. */
  | { readonly kind: 'ask' };

/**
 * Compares the chain that a node has seen with the blocks that its pool has applied, and returns the next action. It undoes
 * no block merely because the chain ends before the tip, since the source may lag. It waits for a block of another fork.
 */
export function reconcile(chain: ChainRing, applied: ChainRing): SyncPlan {
  const common = newestCommon(chain, applied);
  if (common === undefined) return apart(chain, applied);
  const above = chain.above(common);
  if (above.length === 0) return { kind: 'wait', common };
  const blocks = blocksOf(above);
  if (blocks === null) return { kind: 'ask' };
  return { kind: 'apply', from: applied.end === null ? null : common, blocks };
}

/**
 * Returns the newest common point; `undefined` if there is none. The beginning counts as common only if the pool has no
 * block: two different chains both have a beginning.
 */
function newestCommon(chain: ChainRing, applied: ChainRing): ChainPoint | null | undefined {
  if (applied.end === null) return chain.points().find((point) => sameEnd(point, chain.beginning));
  return chain.points().find((point) => point !== null && applied.has(point));
}

function apart(chain: ChainRing, applied: ChainRing): SyncPlan {
  if (applied.isShort) return { kind: 'read' };
  return { kind: endsBefore(chain, applied) ? 'behind' : 'ask' };
}

function endsBefore({ end }: ChainRing, { oldest }: ChainRing): boolean {
  return oldest !== null && (end === null || end.slot < oldest.slot);
}

function blocksOf(above: readonly RingBlock[]): Block[] | null {
  const blocks = above.map(({ block }) => block).filter((block) => block !== null);
  return blocks.length === above.length ? blocks : null;
}
