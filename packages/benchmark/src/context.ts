import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchServer } from './redis-server.ts';

/** What a run was asked for, and where it works. */
export interface BenchContext {
  /** For files whose cost is measured: on a real disk. */
  readonly folder: string;
  /** How many transactions are stored when a workload is measured, from few to many. */
  readonly sizes: readonly number[];
  /** Rounds that count for each row; without it goals keep their own and workloads have 7. */
  readonly rounds: number | undefined;
  /** The run's own server, without persistence; `null` where the run has no part for Redis. */
  readonly redis: BenchServer | null;
}

const root: string = join(import.meta.dirname, '../../..');

export const subjectPaths = {
  ephemeral: join(root, 'packages/ephemeral/test/subject.ts'),
  sqlite: join(root, 'packages/sqlite/test/shared-subject.ts'),
  sqliteExclusive: join(root, 'packages/sqlite/test/exclusive-subject.ts'),
  redis: join(root, 'packages/redis/test/subject.ts'),
} as const;

/** Where a run that left something out writes, so that it replaces no result. */
export const partialFolder: string = join(root, '.data', 'benchmark');

export function benchFolder(): string {
  const folder = join(root, '.data', `bench-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

function largest({ sizes }: BenchContext): number {
  return Math.max(...sizes);
}

/** `wanted`, or as many as a smaller run has. */
export function atMost(context: BenchContext, wanted: number): number {
  return Math.min(wanted, largest(context));
}
