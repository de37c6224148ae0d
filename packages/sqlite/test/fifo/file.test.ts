import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { numbers, transaction } from '../numbered.ts';

test('a take that fails half-way takes nothing, and the next one succeeds', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using store = await sqlite.open({ path });
  await store.receive(numbers(3).map((n) => transaction(n)));
  const operator = new SqliteDatabase(path);
  operator.exec("CREATE TRIGGER refusal BEFORE INSERT ON inflight BEGIN SELECT RAISE(ABORT, 'refused'); END");
  await expect(store.take({ maxTxs: 2 }, { owner: 'a', claimMs: 1 })).rejects.toThrow();
  operator.exec('DROP TRIGGER refusal');
  operator.close();
  expect(await store.usage()).toMatchObject({ pending: 3, propagated: 0 });
  expect((await store.take({ maxTxs: 2 }, { owner: 'a', claimMs: 1 })).transactions).toHaveLength(2);
});
