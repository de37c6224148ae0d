/** The chain to replay: a file of real blocks or a made-up one, read twice: once to check it, once to replay it. */
import { createHash } from 'node:crypto';
import { type ChainBlock, readChunkFile } from 'mempool-cardano';
import type { ChainPoint } from 'mempool-core';
import { syntheticChain } from './synthetic-chain.ts';

/** What the first reading leaves in memory: no payload. */
export interface Chain {
  readonly title: string;
  /** Where each block stands, in order; at least one. */
  readonly points: readonly ChainPoint[];
  /** Every transaction's hash, in order. */
  readonly hashes: readonly string[];
  /** Over the hashes' raw bytes, in order. */
  readonly sha256: string;
  blocks(): AsyncIterable<ChainBlock> | Iterable<ChainBlock>;
}

/** A chunk file's chain, or the made-up one where there is none. @throws ChainFileError as `readChunkFile` does */
export function openChain(file: string | null): Promise<Chain> {
  if (file === null) return readChain('a made-up chain', () => syntheticChain());
  return readChain(file, () => readChunkFile(file));
}

/** Reads the whole chain before any of it reaches a pool, so that a damaged file changes nothing. */
export async function readChain(title: string, blocks: Chain['blocks']): Promise<Chain> {
  const points: ChainPoint[] = [];
  const hashes: string[] = [];
  const digest = createHash('sha256');
  for await (const { slot, hash, transactions } of blocks()) {
    points.push({ slot, hash });
    for (const transaction of transactions) {
      hashes.push(transaction.hash);
      digest.update(transaction.hash, 'hex');
    }
  }
  return { title, points, hashes, sha256: digest.digest('hex'), blocks };
}
