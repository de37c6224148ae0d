import type { Block } from '../contract/store.ts';
import type { ChainPoint } from '../contract/transaction.ts';
import { type ChainRing, type RingBlock, sameEnd } from './chain-ring.ts';

/** What is to be done so that a pool follows a chain. */
export type SyncPlan =
  /** Nothing: the pool is where the chain is, or further on one that may still come. */
  | { readonly kind: 'wait'; readonly common: ChainPoint | null }
  /** These blocks, in this order, above this point; where it is not the pool's tip, the pool goes back to it first. */
  | { readonly kind: 'apply'; readonly from: ChainPoint | null; readonly blocks: readonly Block[] }
  /** The common point may be older than those of the pool that are given here: its tip has to be read. */
  | { readonly kind: 'read' }
  /** Nothing: the chain ends before the oldest point that the pool has kept. */
  | { readonly kind: 'behind' }
  /** The two have no point in common, or blocks between them are not kept: the source has to be asked. */
  | { readonly kind: 'ask' };

/**
 * Compares the chain that a node saw with the blocks that its pool has applied. Nothing is undone before another child of an
 * applied point is there: a chain that ends before the tip may be a source that is behind.
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
 * The beginning is common only to a pool without any block: two chains that both begin need have nothing else in
 * common.
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
