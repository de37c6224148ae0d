import { join } from 'node:path';
import { sqlite } from 'mempool-sqlite';
import { seed } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { test } from 'vitest';
import { fifoChecks } from '../../../../conformance/test/fifo-checks.ts';
import { compareHistories } from '../../../../conformance/test/fifo-history.ts';
import { fifoNodeChecks, fifoReopenChecks } from '../../../../conformance/test/fifo-node-checks.ts';

for (const { title, run } of [...fifoChecks, ...fifoReopenChecks, ...fifoNodeChecks])
  test(title, async () => {
    const path = join(scratchFolder(), 'pool.db');
    await run((options) => sqlite.open({ ...options, path }));
  });

test(`random calls are answered as in memory, and leave the same to be seen (MEMPOOL_TEST_SEED=${seed})`, async () => {
  const path = join(scratchFolder(), 'pool.db');
  await compareHistories(seed, (options) => sqlite.open({ ...options, path, synchronous: 'normal' }));
});
