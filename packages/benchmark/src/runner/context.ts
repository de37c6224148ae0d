import { join } from 'node:path';
import type { BenchServer } from '../backends/redis-server.ts';
import type { PassOf } from './pass.ts';

/** What a run was asked for, and where it works. */
export interface BenchContext {
  /** For files whose cost is measured: on a real disk. */
  readonly folder: string;
  /** How many transactions are stored when a workload is measured, from few to many. */
  readonly sizes: readonly number[];
  /** Rounds that count for each row, in all passes together; without it as many as its spread needs. */
  readonly rounds: number | undefined;
  readonly pass: PassOf;
  /** Only rows and goals whose title or id has this in it. */
  readonly row: string | undefined;
  /** Only the rows of these ids, and no goals. */
  readonly ids?: readonly string[] | undefined;
  /** The run's own server, without persistence; `null` where the run has no part for Redis. */
  readonly redis: BenchServer | null;
}

const root: string = join(import.meta.dirname, '../../../..');

interface SubjectPaths {
  readonly ephemeral: string;
  readonly sqlite: string;
  readonly sqliteExclusive: string;
  readonly redis: string;
}

/** Where a checkout of this project keeps the subjects of its backends. */
export function subjectPathsIn(checkout: string): SubjectPaths {
  return {
    ephemeral: join(checkout, 'packages/ephemeral/test/subject.ts'),
    sqlite: join(checkout, 'packages/sqlite/test/shared-subject.ts'),
    sqliteExclusive: join(checkout, 'packages/sqlite/test/exclusive-subject.ts'),
    redis: join(checkout, 'packages/redis/test/subject.ts'),
  };
}

export const subjectPaths: SubjectPaths = subjectPathsIn(root);

/** A row or a goal that was asked for. */
export function isWanted(
  { row, ids }: BenchContext,
  { id, title }: { readonly id?: string; readonly title: string },
): boolean {
  if (ids !== undefined && !(id !== undefined && ids.includes(id))) return false;
  return row === undefined || title.includes(row) || id === row;
}

function largest({ sizes }: BenchContext): number {
  return Math.max(...sizes);
}

/** `wanted`, or as many as a smaller run has. */
export function atMost(context: BenchContext, wanted: number): number {
  return Math.min(wanted, largest(context));
}
