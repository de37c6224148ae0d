/** The releases, block by block: a file's chain or a generated one, forks that lose, transactions that no block carries. */
import { createHash } from 'node:crypto';
import { type Chain, openChain, readChain, syntheticChain } from 'cardano-chains';
import type { Random } from 'mempool-conformance';
import type { Block, ChainPoint, SourceStep, Transaction } from 'mempool-core';

/** Transactions that must be in the pool before the steps, which are then released one after the other. */
export interface Release {
  readonly transactions: readonly Transaction[];
  readonly steps: readonly SourceStep[];
  /** Belongs to a file, all of which is to be seen. */
  readonly isRequired: boolean;
}

/** Every so many blocks one has a rival that is seen first and loses. */
const forkEvery = 8;
/** So many of a hundred blocks bring a transaction that no block ever carries. */
const unluckyPercent = 15;
const syntheticBlocks = 5_000;
const slotsBetween = 20;

/** Opens a file of blocks, or makes a chain. @throws ChainFileError if the file does not consist of whole blocks, each on its predecessor */
export function openBlocks(file: string | null, seed: number): Promise<Chain> {
  return file === null
    ? readChain('a made-up chain', () => syntheticChain({ seed, blocks: syntheticBlocks }))
    : openChain(file);
}

/** The chain's blocks, then empty blocks without end. `required`: the run must apply all blocks of the chain, because a file has them. */
export async function* supplyBlocks(chain: Chain, required: boolean, random: Random): AsyncGenerator<Release, never> {
  let before: ChainPoint | null = null;
  let count = 0;
  for await (const { slot, hash, parent, transactions } of chain.blocks()) {
    const link = parent === null ? {} : { parent };
    const block: Block = { point: { slot, hash }, ...link, seen: transactions.map((each) => each.hash), unseen: [] };
    const isUnlucky = random.below(100) < unluckyPercent;
    const all = isUnlucky ? [...transactions, unlucky(hash)] : transactions;
    count += 1;
    const hasRival = count % forkEvery === 0;
    const rival: SourceStep[] = hasRival ? rivalSteps(before, block, 1 + random.below(2)) : [];
    yield { transactions: all, steps: [...rival, { kind: 'apply', block }], isRequired: required };
    before = block.point;
  }
  for (;;) {
    const block: Block = emptyBlock(before);
    yield { transactions: [], steps: [{ kind: 'apply', block }], isRequired: false };
    before = block.point;
  }
}

/** An empty block that follows this point. */
export function emptyBlock(before: ChainPoint | null): Block {
  const point = { slot: (before?.slot ?? 0) + slotsBetween, hash: digest(`empty block on ${before?.hash}`) };
  return { point, ...(before === null ? {} : { parent: before.hash }), seen: [], unseen: [] };
}

/** A branch of one or two blocks in the block's place, with half of its transactions, and the way back. */
function rivalSteps(before: ChainPoint | null, block: Block, length: number): SourceStep[] {
  const rival = rivalOf(block);
  const branch: Block[] = length === 1 ? [rival] : [rival, emptyBlock(rival.point)];
  return [...branch.map((block) => ({ kind: 'apply', block }) as const), { kind: 'undo', point: before }];
}

/** A rival of this block: same parent, half of its transactions. */
export function rivalOf({ point, parent, seen }: Block): Block {
  const half = seen.slice(0, Math.ceil(seen.length / 2));
  return { point: { slot: point.slot, hash: digest(`rival of ${point.hash}`) }, parent, seen: half, unseen: [] };
}

function unlucky(hash: string): Transaction {
  return { hash: digest(`unlucky at ${hash}`), payload: Buffer.from(hash, 'hex'), payloadType: 0 };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
