/** A chunk file of the tests' own, and what a replay of it must come to, worked out from the blocks alone. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeSyntheticChain, type SyntheticChainOptions, syntheticChain } from 'cardano-chains';
import type { ChainBlock } from 'mempool-cardano';
import type { Report } from '../src/report.ts';

const finalizeThreshold = 6;

export async function writeChain(folder: string, options: SyntheticChainOptions): Promise<string> {
  const path = join(folder, `${options.blocks}-blocks.chunk`);
  await writeFile(path, Buffer.concat([...encodeSyntheticChain(options)]));
  return path;
}

type Totals = Omit<Report, 'backend' | 'applied' | 'seconds'>;

export function totalsOf(options: SyntheticChainOptions, forkEvery: number): Totals {
  const blocks = [...syntheticChain(options)];
  const finalized = countTransactions(blocks.slice(0, 1 - finalizeThreshold));
  const transactions = countTransactions(blocks);
  const forked = blocks.filter((_, index) => forkEvery > 0 && (index + 1) % forkEvery === 0);
  const tip = blocks.at(-1);
  return {
    blocks: blocks.length,
    transactions,
    sha256: hashOf(blocks),
    finalized,
    confirmed: transactions - finalized,
    dropped: 0,
    pending: 0,
    rolledBack: countTransactions(forked),
    tip: tip ? { slot: tip.slot, hash: tip.hash } : null,
  };
}

function hashOf(blocks: readonly ChainBlock[]): string {
  const digest = createHash('sha256');
  for (const { transactions } of blocks) for (const { hash } of transactions) digest.update(hash, 'hex');
  return digest.digest('hex');
}

function countTransactions(blocks: readonly ChainBlock[]): number {
  return blocks.reduce((sum, { transactions }) => sum + transactions.length, 0);
}
