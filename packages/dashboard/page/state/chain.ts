import type { BlockChange } from 'mempool-server';

/** A block that was applied. */
export interface ShownBlock extends Omit<BlockChange, 'action'> {
  /** When it was undone; `null` if it still counts. */
  readonly undone: { readonly at: number | null } | null;
}

/** All blocks of one height: the one that counts, and those that lost against it. */
export interface Height {
  readonly tick: number;
  /** `null` if the block of this height was undone and none has come since. */
  readonly block: ShownBlock | null;
  /** The last one first. */
  readonly undone: readonly ShownBlock[];
}

/** The last heights of the chain, newest first, from changes that are newest first. */
export function heightsOf(changes: readonly BlockChange[], limit: number): Height[] {
  const heights = new Map<number, Height>();
  for (const block of shownBlocks(changes)) {
    const known = heights.get(block.tick) ?? { tick: block.tick, block: null, undone: [] };
    const isMain = block.undone === null;
    heights.set(block.tick, isMain ? { ...known, block } : { ...known, undone: [...known.undone, block] });
  }
  return [...heights.values()].sort((a, b) => b.tick - a.tick).slice(0, limit);
}

/** Each application of a block, newest first, with its end. */
function shownBlocks(changes: readonly BlockChange[]): ShownBlock[] {
  const ends = new Map<string, BlockChange>();
  const blocks: ShownBlock[] = [];
  for (const change of changes) {
    const { action, ...block } = change;
    const { hash } = change.point;
    if (action === 'undone') {
      ends.set(hash, change);
      continue;
    }
    const end = ends.get(hash);
    ends.delete(hash);
    blocks.push({ ...block, undone: end === undefined ? null : { at: end.at } });
  }
  return blocks;
}
