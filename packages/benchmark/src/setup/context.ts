import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchServer } from './redis-server.ts';
import { root } from './subject.ts';

/** Where a backend keeps its transactions: it decides how its rows are timed. */
export type Place = 'heap' | 'file' | 'server';

/** One of several passes over everything, each in processes of its own; their rounds are put together. */
export interface Pass {
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

/** The options of a run. */
export interface Asked {
  /** How many transactions are stored when a workload is measured, from few to many. */
  readonly sizes: readonly number[];
  /** Rounds of each row, in all passes together; without it as many as its spread needs. */
  readonly rounds: number | undefined;
  /** Only rows and goals with this in their title, or as their id. */
  readonly row: string | undefined;
  readonly pass: Pass;
}

/** The same, and where it works. */
export interface BenchContext extends Asked {
  /** For files whose cost is measured: on a real disk. */
  readonly folder: string;
  /** The process's own server, without persistence; `null` where nothing needs it. */
  readonly redis: BenchServer | null;
}

export function isWanted({ row }: Asked, { id, title }: { readonly id?: string; readonly title: string }): boolean {
  return row === undefined || title.includes(row) || id === row;
}

/** `wanted`, or as many as a smaller run has. */
export function atMost({ sizes }: Asked, wanted: number): number {
  return Math.min(wanted, ...sizes.slice(-1));
}

/** What a pass has of `total` rounds: the passes share them as evenly as they can. */
export function shareOf(total: number, { index, count }: Pass): number {
  return Math.floor((total + count - 1 - index) / count);
}

/** Where a partial run writes, so that it replaces no result. */
export const partialFolder: string = join(root, '.data', 'benchmark');

/** Hands `work` a folder on the disk of the checkout, and removes it. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(root, '.data', `bench-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
