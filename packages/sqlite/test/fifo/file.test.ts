import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { hashOf, numbers, pointOf, transaction } from '../numbered.ts';

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

test('a process that had the file open before the first take sees its leases, and ends them', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using early = await sqlite.open({ path, now: () => 2_000 });
  await early.receive(numbers(3).map((n) => transaction(n)));
  await using taker = await sqlite.open({ path, now: () => 1_000 });
  await taker.take({}, { owner: 'a', claimMs: 50, operationId: 'one' });
  await early.confirm({ point: pointOf(1), seen: [hashOf(0)], unseen: [] });
  await early.markAcknowledged([hashOf(1)]);
  expect((await early.sweep()).returned).toEqual([hashOf(2)]);
  const again = await taker.take({}, { owner: 'a', claimMs: 50, operationId: 'one' });
  expect(again.transactions).toEqual([]);
});
