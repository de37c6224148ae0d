import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import type { Mempool } from 'mempool-core';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { leveldb } from '../src/index.ts';

const path = (): string => join(scratchFolder(), 'pool');

function hashOf(n: number): string {
  return n.toString(16).padStart(64, '0');
}

function receive(store: Mempool, ...numbers: number[]): Promise<unknown> {
  return store.receive(numbers.map((n) => ({ hash: hashOf(n), payload: Buffer.alloc(100, n), payloadType: 0 })));
}

test('a second store on the folder is refused until the first is closed', async () => {
  const where = path();
  const first = await leveldb.open({ path: where });
  await expect(leveldb.open({ path: where })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_IN_USE' });
  await first.close();
  await (await leveldb.open({ path: where })).close();
});

test("N2: another program's database, another pool and a later format are refused and left as they are", async () => {
  const foreign = path();
  const letter = new ClassicLevel(foreign);
  await letter.put('dear', 'mother');
  await letter.close();
  await expect(leveldb.open({ path: foreign })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INCOMPATIBLE' });
  await letter.open();
  expect(await letter.iterator().all()).toEqual([['dear', 'mother']]);
  await letter.close();

  const where = path();
  await (await leveldb.open({ path: where, pool: 'one' })).close();
  await expect(leveldb.open({ path: where, pool: 'two' })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INCOMPATIBLE' });
});

test('M2: a page skips a damaged payload, and the next write drops its transaction', async () => {
  const where = path();
  const store = await leveldb.open({ path: where });
  await receive(store, 1, 2, 3);
  await store.close();
  const database = new ClassicLevel<string, Buffer>(where, { valueEncoding: 'buffer' });
  await database.sublevel<string, Buffer>('payloads', { valueEncoding: 'buffer' }).put(hashOf(2), Buffer.from('other'));
  await database.close();

  await using again = await leveldb.open({ path: where });
  expect((await again.peekPending()).transactions.map(({ seq }) => seq)).toEqual([1, 3]);
  await again.markInflight([hashOf(1)]);
  expect(await again.status([hashOf(2)])).toMatchObject([{ stage: 'Dropped', reason: 'damaged' }]);
  expect((await again.peekPending()).transactions.map(({ seq }) => seq)).toEqual([3]);
});

test('M2: the status of a transaction whose record is damaged is in flight; the status of all others is known', async () => {
  const where = path();
  const store = await leveldb.open({ path: where });
  await receive(store, 1, 2);
  await store.close();
  const database = new ClassicLevel<string, Buffer>(where, { valueEncoding: 'buffer' });
  await database.sublevel<string, Buffer>('transactions', { valueEncoding: 'buffer' }).put(hashOf(1), Buffer.from('x'));
  await database.close();

  await using again = await leveldb.open({ path: where });
  expect(await again.status([hashOf(1), hashOf(2)])).toMatchObject([{ stage: 'Propagated' }, { stage: 'Pending' }]);
});

test('what is history goes: the database keeps no payload that nothing refers to', async () => {
  const where = path();
  {
    await using store = await leveldb.open({
      path: where,
      maxFinalized: 3,
      maxEvents: 10,
      maxRollback: 2,
      sync: false,
    });
    for (let n = 1; n <= 20; n++) {
      await receive(store, n);
      await store.confirm(
        { point: { slot: n, hash: hashOf(n) }, seen: [hashOf(n)], unseen: [] },
        { finalizeThreshold: 1 },
      );
    }
    expect(await store.usage()).toMatchObject({ pending: 0, logged: 3, lastLogSeq: 20, lastEventSeq: 60 });
  }
  const database = new ClassicLevel(where);
  const keys = await database.keys().all();
  await database.close();
  const count = (section: string): number => keys.filter((key) => key.startsWith(`!${section}!`)).length;
  expect([count('payloads'), count('transactions'), count('log'), count('blocks'), count('sightings')]).toEqual([
    3, 3, 3, 3, 3,
  ]);
  expect(count('events')).toBeLessThan(12);
});

test('a path that is no folder is refused in a line', async () => {
  const file = join(scratchFolder(), 'file');
  writeFileSync(file, '');
  await expect(leveldb.open({ path: join(file, 'pool') })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_UNAVAILABLE' });
  await expect(leveldb.open({ path: '' })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID' });
});
