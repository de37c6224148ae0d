// Type tests of the public API: never run, only compiled, against the sources and against the built declarations.
import type { Backend, MempoolStore } from 'mempool-core';
import { type SqliteOptions, sqlite, sqliteExclusive } from 'mempool-sqlite';

export const backends: readonly Backend<SqliteOptions>[] = [sqlite, sqliteExclusive];

export async function open(): Promise<MempoolStore> {
  await sqliteExclusive.open({ path: 'mempool.sqlite', synchronous: 'normal', pool: 'main', maxFinalized: 1 });
  // @ts-expect-error a pool is a file: it needs a path
  await sqlite.open({ pool: 'main' });
  // @ts-expect-error less than `normal` loses what was answered
  await sqlite.open({ path: 'mempool.sqlite', synchronous: 'off' });
  // @ts-expect-error another backend's option
  await sqlite.open({ path: 'mempool.sqlite', url: 'redis://localhost' });
  return sqlite.open({ path: 'mempool.sqlite' });
}
