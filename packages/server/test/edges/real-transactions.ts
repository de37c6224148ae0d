import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Chain, openChain } from 'cardano-chains';
import type { Transaction } from 'mempool-core';

/** A folder with chunk files of a Cardano node. Without it, the transactions are made up. */
const folder = process.env.MEMPOOL_TEST_CHUNKS;

function chain(): Promise<Chain> {
  const files = folder === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith('.chunk'));
  const [file] = files.sort();
  return openChain(folder === undefined || file === undefined ? null : join(folder, file));
}

/** The first transactions of real blocks, in the order of the chain; made-up ones where there is no file of blocks. */
export async function realTransactions(count: number): Promise<Transaction[]> {
  const found: Transaction[] = [];
  for await (const { transactions } of (await chain()).blocks()) {
    found.push(...transactions);
    if (found.length >= count) break;
  }
  return found.slice(0, count);
}
