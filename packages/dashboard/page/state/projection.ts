import type { BlockChange } from 'mempool-server';
import type { Candidate } from '../wire/answers.ts';

/** How many of the next blocks are shown. */
export const projectedBlocks = 6;
/** Blocks larger than this are projected as if they had so many transactions. */
const mostPerBlock = 150;
const perBlockUnknown = 50;
const recentBlocks = 20;

/** How a projected block is coloured: 0, the lowest priorities, to 4. */
export type Level = 0 | 1 | 2 | 3 | 4;

/** One of the next blocks, if blocks took transactions in the pool's order. */
export interface ProjectedBlock {
  /** 1: the next one. */
  readonly number: number;
  readonly transactions: readonly (Candidate & { readonly level: Level })[];
  readonly bytes: number;
  readonly gas: number;
  /** As text, as the API has them. */
  readonly highest: string;
  readonly lowest: string;
}

/** How many transactions a block of this chain takes: the median of the last ones that took any. */
export function sizeOfBlock(changes: readonly BlockChange[]): number {
  const sizes = changes
    .filter(({ action, confirmed }) => action === 'applied' && confirmed > 0)
    .slice(0, recentBlocks)
    .map(({ confirmed }) => confirmed)
    .sort((a, b) => a - b);
  return Math.min(mostPerBlock, sizes[sizes.length >> 1] ?? perBlockUnknown);
}

/** Cuts the pool's order into blocks. The colours compare the transactions that are shown. */
export function project(candidates: readonly Candidate[], perBlock: number): ProjectedBlock[] {
  const shown = candidates.slice(0, projectedBlocks * perBlock);
  const levels = levelsOf(shown.map(({ priority }) => Number(priority)));
  const coloured = shown.map((each, i) => ({ ...each, level: levels[i] ?? 0 }));
  const count = Math.ceil(coloured.length / perBlock);
  return Array.from({ length: count }, (_, i) => blockOf(i + 1, coloured.slice(i * perBlock, (i + 1) * perBlock)));
}

function blockOf(number: number, transactions: ProjectedBlock['transactions']): ProjectedBlock {
  // A child that pays for its parent comes after it, so the first in the order need not be the highest.
  const priorities = transactions.map(({ priority }) => BigInt(priority)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return {
    number,
    transactions,
    bytes: transactions.reduce((sum, { bytes }) => sum + bytes, 0),
    gas: transactions.reduce((sum, { gas }) => sum + gas, 0),
    highest: String(priorities.at(-1) ?? ''),
    lowest: String(priorities[0] ?? ''),
  };
}

/** Priorities as levels of equal width, by their logarithm where all are positive. */
export function levelsOf(priorities: readonly number[]): Level[] {
  const scale = priorities.every((each) => each > 0) ? Math.log : (each: number) => each;
  const scaled = priorities.map(scale);
  const low = scaled.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
  const high = scaled.reduce((most, each) => Math.max(most, each), Number.NEGATIVE_INFINITY);
  if (!(high > low)) return scaled.map(() => 2);
  return scaled.map((each) => Math.min(4, Math.floor(((each - low) / (high - low)) * 5)) as Level);
}
