import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MempoolStore, OpenOptions } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { sqlite } from 'mempool-sqlite';
import { subject as redis } from '../../packages/redis/test/subject.ts';

/** Opens new, empty pools of a backend; what is left of them goes with it. */
export interface PoolSource extends AsyncDisposable {
  open(options: OpenOptions): Promise<MempoolStore>;
}

async function ephemeralPools(): Promise<PoolSource> {
  return { open: (options) => ephemeral.open(options), [Symbol.asyncDispose]: async () => undefined };
}

/** A power cut is not the subject here. */
async function sqlitePools(): Promise<PoolSource> {
  const folder = await mkdtemp(join(tmpdir(), 'mempool-priority-'));
  return {
    open: (options) => sqlite.open({ ...options, synchronous: 'normal', path: join(folder, `${randomUUID()}.sqlite`) }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function redisPools(): Promise<PoolSource> {
  const made: string[] = [];
  return {
    open: (options) => {
      const pool = `priority-history-${randomUUID()}`;
      made.push(pool);
      return redis.open(pool, options);
    },
    [Symbol.asyncDispose]: async () => {
      for (const pool of made) await redis.destroy?.(pool);
    },
  };
}

export const poolSources: Readonly<Record<string, () => Promise<PoolSource>>> = {
  ephemeral: ephemeralPools,
  sqlite: sqlitePools,
  redis: redisPools,
};
