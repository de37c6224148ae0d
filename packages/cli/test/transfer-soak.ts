// Moves a large pool of each ordering SQLite → Redis → SQLite by `export` and `import`, and compares the files.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedis, runScript } from 'mempool-testkit';
import { contentOf, movePool } from './move-pool.ts';

const count = Number(process.argv[2] ?? 100_000);

await runScript(async () => {
  await using redis = await findRedis();
  const folder = await mkdtemp(join(tmpdir(), 'mempool-transfer-'));
  try {
    for (const ordering of ['fifo', 'priority'] as const) {
      const own = await mkdtemp(join(folder, ordering));
      const { files, tookMs } = await movePool({ folder: own, redisUrl: redis.url, ordering, count });
      const [first, ...others] = files.map(contentOf);
      const equal = others.every((content) => content === first);
      console.log(JSON.stringify({ ordering, count, equal, contentBytes: first?.length, tookMs }));
      if (!equal) process.exitCode = 1;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
