import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Subject } from 'mempool-conformance';
import type { Backend } from 'mempool-core';
import type { SqliteOptions } from 'mempool-sqlite';

/** Pools as files of one directory, which child processes find by name. */
export function fileSubject(name: string, module: string, backend: Backend<SqliteOptions>): Subject {
  const directory = join(tmpdir(), 'mempool-sqlite-conformance');
  mkdirSync(directory, { recursive: true });
  const pathOf = (pool: string) => join(directory, `${name}-${encodeURIComponent(pool)}.db`);
  return {
    name,
    module,
    backend,
    open: (pool, options = {}) => backend.open({ ...options, pool, path: pathOf(pool) }),
    async destroy(pool) {
      for (const suffix of ['', '-wal', '-shm']) await rm(`${pathOf(pool)}${suffix}`, { force: true });
    },
  };
}
