/** Plays a chain into a pool, block by block, so that a run killed at any moment can be taken up by the next one. */
import { setImmediate } from 'node:timers/promises';
import { type Chain, emptySibling } from 'cardano-chains';
import type { ChainBlock } from 'mempool-cardano';
import type { Block, ChainPoint, Mempool, WriteOptions } from 'mempool-core';
import { ReplayError } from './replay-error.ts';

export interface ReplayOptions {
  /** Every how many blocks a fork is played; 0 for none. */
  readonly forkEvery: number;
  readonly signal: AbortSignal;
  /** Called after each block, with the number of the chain's blocks in the pool. */
  onBlock(done: number): void;
}

/** A block and the chain point that it stands on; `null` for the first one. */
interface Step {
  readonly block: ChainBlock;
  readonly before: ChainPoint | null;
  readonly isForked: boolean;
}

const maxCallTransactions = 1_000;

/** Whether a fork is played at the block of this index. */
function isForked(index: number, forkEvery: number): boolean {
  return forkEvery > 0 && (index + 1) % forkEvery === 0;
}

/**
 * The number of blocks of the chain that the pool has, by its tip. After a killed run the tip may be an empty block of a fork.
 * @throws ReplayError if the tip is not in the chain
 */
export function blocksIn(chain: Chain, tip: ChainPoint | null, forkEvery: number): number {
  if (tip === null) return 0;
  const index = chain.points.findIndex(({ hash }) => hash === tip.hash);
  if (index >= 0) return index + 1;
  const fork = chain.points.findIndex((point, at) => isForked(at, forkEvery) && emptySibling(point).hash === tip.hash);
  if (fork >= 0) return fork;
  throw new ReplayError(
    `the pool's tip, slot ${tip.slot} hash ${tip.hash}, is not in ${chain.title}: it is another chain's pool`,
  );
}

/** Plays the blocks after the first `done` ones. @throws ReplayError if another process applies blocks to the same pool */
export async function replay(store: Mempool, chain: Chain, done: number, options: ReplayOptions): Promise<void> {
  const { forkEvery, signal, onBlock } = options;
  // A forked block that is the tip may be at the start of its fork or past it: its steps are gone through again.
  const first = isForked(done - 1, forkEvery) ? done - 1 : done;
  let index = -1;
  for await (const block of chain.blocks()) {
    index += 1;
    if (index < first) continue;
    // A backend in memory never waits: signals, events and the screen have their turn here.
    await setImmediate();
    signal.throwIfAborted();
    const before = chain.points[index - 1] ?? null;
    await playBlock(store, { block, before, isForked: isForked(index, forkEvery) }, signal);
    onBlock(index + 1);
  }
}

/**
 * Every step has an operation id made of its block and its name, which the pool records with the outcome. So a step that was done
 * before a kill changes nothing when it is asked for again, and the steps may simply be repeated from the first.
 */
async function playBlock(store: Mempool, { block, before, isForked }: Step, signal: AbortSignal): Promise<void> {
  const step = (name: string): WriteOptions => ({ operationId: `${block.hash}/${name}`, signal });
  await propagate(store, block, step);
  await apply(store, block, block.transactions, step('apply'));
  if (!isForked) return;
  const empty = { ...emptySibling(block), parent: block.parent };
  await undo(store, before, step('undo'));
  await apply(store, empty, [], step('apply the empty block'));
  await undo(store, before, step('undo the empty block'));
  await apply(store, block, block.transactions, step('apply again'));
}

/** What a node does with a transaction before a block carries it: takes it in, sends it to its peers, hears that they have it. */
async function propagate(store: Mempool, block: ChainBlock, step: (name: string) => WriteOptions): Promise<void> {
  for (let start = 0; start < block.transactions.length; start += maxCallTransactions) {
    const batch = block.transactions.slice(start, start + maxCallTransactions);
    const hashes = batch.map(({ hash }) => hash);
    await store.receive(batch, step(`receive ${start}`));
    await store.markInflight(hashes, step(`mark in flight ${start}`));
    await store.markAcknowledged(hashes, step(`mark acknowledged ${start}`));
  }
}

async function apply(
  store: Mempool,
  block: ChainPoint & { readonly parent: string | null },
  transactions: readonly { readonly hash: string }[],
  options: WriteOptions,
): Promise<void> {
  const { slot, hash, parent } = block;
  const seen = transactions.map((transaction) => transaction.hash);
  const link: Pick<Block, 'parent'> = parent === null ? {} : { parent };
  const outcome = await store.confirm({ point: { slot, hash }, ...link, seen }, {}, options);
  if (outcome.kind === 'gap') throw interference(`the block at slot ${slot} does not follow it`);
}

async function undo(store: Mempool, before: ChainPoint | null, options: WriteOptions): Promise<void> {
  const outcome = await store.rollback(before ?? 'origin', options);
  if (outcome.kind === 'unknown-point') throw interference(`slot ${before?.slot} cannot be gone back to`);
}

function interference(what: string): ReplayError {
  return new ReplayError(`the pool's tip was moved by another program: ${what}`);
}
