import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { sqlite, sqliteExclusive } from 'mempool-sqlite';
import { seed } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { test } from 'vitest';
import { fifoChecks } from '../../../../conformance/test/fifo-checks.ts';
import { checkDamage } from '../../../../conformance/test/fifo-damage.ts';
import { compareHistories } from '../../../../conformance/test/fifo-history.ts';
import { fifoNodeChecks, fifoReopenChecks } from '../../../../conformance/test/fifo-node-checks.ts';

const alone = [...fifoChecks, ...fifoReopenChecks];
const checksOf = { sqlite: [...alone, ...fifoNodeChecks], 'sqlite-exclusive': alone };

for (const backend of [sqlite, sqliteExclusive]) {
  for (const { title, run } of checksOf[backend.name as keyof typeof checksOf])
    test(`${backend.name}: ${title}`, async () => {
      const path = join(scratchFolder(), 'pool.db');
      await run((options) => backend.open({ ...options, path }));
    });

  test(`${backend.name}: random calls are answered as in memory, and leave the same to be seen (MEMPOOL_TEST_SEED=${seed})`, async () => {
    const open = backend.open.bind(backend);
    const path = join(scratchFolder(), 'pool.db');
    await compareHistories(seed, (options) => open({ ...options, path, synchronous: 'normal' }));
  });
}

test('M2: a damaged payload is named where it is asked for, and keeps no other verb from its work', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const damage = async (hash: string) => {
    const operator = new SqliteDatabase(path, { fileMustExist: true });
    operator.prepare('UPDATE tx SET checksum = checksum - 1 WHERE hash = unhex(?)').run(hash);
    operator.close();
  };
  await checkDamage((options) => sqlite.open({ ...options, path }), damage);
});
