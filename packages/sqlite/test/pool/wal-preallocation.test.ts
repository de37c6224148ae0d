import { copyFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { hashOf, numbers, transaction } from '../numbered.ts';

const maxWalBytes = 2_000 * (4_096 + 24);

function logBytes(path: string): number {
  return statSync(`${path}-wal`).size;
}

test(`D1: a cut leaves a log with room behind its end, and every answered call is read from it`, async () => {
  const path = join(scratchFolder(), 'pool.db');
  const cut = join(scratchFolder(), 'cut.db');
  await using store = await sqlite.open({ path });
  for (const n of numbers(5)) await store.receive([transaction(n)]);
  expect(logBytes(path)).toBeGreaterThan(1024 * 1024);
  for (const suffix of ['', '-wal']) copyFileSync(path + suffix, cut + suffix);
  await using left = await sqlite.open({ path: cut });
  expect((await left.peekPending()).transactions.map(({ hash }) => hash)).toEqual(numbers(5).map(hashOf));
  expect(await left.receive([transaction(5)])).toMatchObject([{ kind: 'received', seq: 6 }]);
});

test('M3: the log is made longer up to what a checkpoint lets it become, and not where no call is synced', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using store = await sqlite.open({ path });
  for (const n of numbers(60)) await store.receive([transaction(n)]);
  expect(logBytes(path)).toBeGreaterThanOrEqual(maxWalBytes);
  expect(logBytes(path)).toBeLessThan(maxWalBytes + 512 * 1024);
  const fast = join(scratchFolder(), 'fast.db');
  await using unsynced = await sqlite.open({ path: fast, synchronous: 'normal' });
  for (const n of numbers(60)) await unsynced.receive([transaction(n)]);
  expect(logBytes(fast)).toBeLessThan(maxWalBytes / 2);
});

test('N2: the log of a file that has taken the place of the pool is left alone', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using store = await sqlite.open({ path });
  for (const suffix of ['', '-wal']) {
    renameSync(path + suffix, `${path}${suffix}.away`);
    writeFileSync(path + suffix, 'of somebody else');
  }
  await expect(store.receive([transaction(0)])).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INCOMPATIBLE' });
  expect(readFileSync(`${path}-wal`, 'utf8')).toBe('of somebody else');
});
