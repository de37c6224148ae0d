// Type tests of the public API: never run, only compiled, against the sources and against the built declarations.
import type { Backend, Mempool } from 'mempool-core';
import { createElection, type Election, type ElectionProvider } from 'mempool-election';
import { type SqliteElectionOptions, type SqliteOptions, sqlite, sqliteElection } from 'mempool-sqlite';

export const backends: readonly Backend<SqliteOptions>[] = [sqlite];

export async function open(): Promise<Mempool> {
  await sqlite.open({ path: 'mempool.sqlite', synchronous: 'normal', pool: 'main', maxFinalized: 1 });
  // @ts-expect-error a pool is a file: it needs a path
  await sqlite.open({ pool: 'main' });
  // @ts-expect-error less than `normal` loses what was answered
  await sqlite.open({ path: 'mempool.sqlite', synchronous: 'off' });
  // @ts-expect-error another backend's option
  await sqlite.open({ path: 'mempool.sqlite', url: 'redis://localhost' });
  return sqlite.open({ path: 'mempool.sqlite' });
}

export const provider: ElectionProvider<SqliteElectionOptions> = sqliteElection;

export function elect(): Election {
  // @ts-expect-error an election is held in a file: it needs a path
  createElection(sqliteElection, { nodeId: 'node-1' });
  return createElection(sqliteElection, { path: 'mempool.sqlite', nodeId: 'node-1', ttlMs: 5_000 });
}
