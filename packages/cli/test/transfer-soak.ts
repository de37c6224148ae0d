// Moves a large pool of each ordering SQLite → Redis → SQLite by `export` and `import`, and compares the dumps.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedisServer } from 'mempool-testkit';
import { movePool } from './move-pool.ts';

const count = Number(process.argv[2] ?? 100_000);
const folder = await mkdtemp(join(tmpdir(), 'mempool-transfer-'));
const server = await startRedisServer({ dir: folder });
try {
  for (const ordering of ['fifo', 'priority'] as const) {
    const own = await mkdtemp(join(folder, ordering));
    const { dumps, tookMs } = await movePool({ folder: own, redisUrl: server.url, ordering, count });
    const [first, ...others] = dumps;
    const equal = first !== undefined && others.every((dump) => dump.equals(first));
    console.log(JSON.stringify({ ordering, count, equal, dumpBytes: first?.length, tookMs }));
    if (!equal) process.exitCode = 1;
  }
} finally {
  await server.kill();
  await rm(folder, { recursive: true, force: true });
}
