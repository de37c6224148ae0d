import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { Mempool } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { redisLedger } from 'mempool-ledger/redis';
import { sqliteLedger } from 'mempool-ledger/sqlite';
import { backUpFile, sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { operator, ownServer } from '../../../redis/test/own-server.ts';
import { type Ledger, memoryLedger, openLedger } from '../../src/index.ts';
import { fill } from './filled.ts';
import { Scene } from './scene.ts';

const currency = 'EUR';

/** A ledger that can be set back to the state in which it was saved. */
interface Restorable {
  readonly open: () => Promise<Ledger>;
  readonly save: () => Promise<void>;
  readonly restore: () => Promise<void>;
  /** Whether the ledger stays open meanwhile, as clients of a server do. */
  readonly isOpen: boolean;
}

async function inFile(): Promise<Restorable> {
  const folder = scratchFolder();
  const [path, saved] = [`${folder}/ledger.sqlite`, `${folder}/saved.sqlite`];
  return {
    open: () => openLedger(sqliteLedger, { path, currency }),
    save: async () => void backUpFile(path, saved),
    restore: async () => {
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
      backUpFile(saved, path);
    },
    isOpen: false,
  };
}

async function onServer(): Promise<Restorable> {
  const server = await ownServer();
  const name = randomUUID();
  return {
    open: () => openLedger(redisLedger, { url: server.url, name, currency, timeoutMs: 20_000 }),
    save: async () => void (await operator(server.url).save()),
    restore: () => server.restart(),
    isOpen: true,
  };
}

const stores = { sqlite: inFile, redis: onServer };

async function ownPool(): Promise<Mempool> {
  const pool = await ephemeral.open({ finalizeThreshold: 3 });
  onTestFinished(() => pool.close());
  return pool;
}

for (const [name, make] of Object.entries(stores)) {
  test(`a ledger on ${name} that goes back to an earlier state settles again what it has lost`, async () => {
    const restorable = await make();
    const pool = await ownPool();
    let ledger = await restorable.open();
    await fill(ledger);
    let scene = new Scene(pool, ledger, {});
    const [early, dropped] = [await scene.submitted('a>b:60'), await scene.submitted('b>c:10')];
    await scene.payments.catchUp();
    await restorable.save();
    const late = await scene.submitted('c>a:30');
    await scene.pool.drop([dropped.hash], 'expired');
    await scene.finalized(early, late);
    expect(await scene.available('a', 'b', 'c')).toEqual([70, 160, 70]);
    if (!restorable.isOpen) await ledger.close();
    await restorable.restore();
    if (!restorable.isOpen) {
      ledger = await restorable.open();
      scene = new Scene(pool, ledger, {});
    }
    onTestFinished(() => ledger.close());
    await scene.payments.catchUp();
    expect(await scene.available('a', 'b', 'c')).toEqual([70, 160, 70]);
    expect(scene.reports).toEqual(restorable.isOpen ? [{ kind: 'fell-back', store: 'ledger' }] : []);
    await scene.expectClean();
  });
}

test('a follower that is running notices that the ledger on redis goes back, and goes on', async () => {
  const restorable = await onServer();
  const pool = await ownPool();
  const ledger = await restorable.open();
  onTestFinished(() => ledger.close());
  await fill(ledger);
  const scene = new Scene(pool, ledger, { orphanAfterMs: 100 });
  const payment = await scene.submitted('a>b:60');
  const stop = new AbortController();
  const following = scene.payments.follow(stop);
  await expect.poll(async () => (await ledger.marks('main', ['position']))[0]).toMatch(/"event":1,/);
  await restorable.save();
  await scene.block(payment);
  await scene.blocks(2);
  await expect.poll(() => scene.available('a', 'b')).toEqual([40, 160]);
  await expect.poll(async () => (await ledger.marks('main', ['position']))[0]).not.toMatch(/"event":1,/);
  await restorable.restore();
  await expect.poll(() => scene.reports.some(({ kind }) => kind === 'fell-back')).toBe(true);
  await expect.poll(() => scene.available('a', 'b')).toEqual([40, 160]);
  stop.abort();
  await following;
  await scene.expectClean();
});

/** A pool in a file that can be set back, with its coupling. */
async function scenes() {
  const folder = scratchFolder();
  const [path, saved] = [`${folder}/pool.sqlite`, `${folder}/saved.sqlite`];
  const ledger = await openLedger(memoryLedger, { currency, now: () => Date.now() - 10_000 });
  await fill(ledger);
  const open = async (limits: object = {}) =>
    new Scene(await sqlite.open({ path, finalizeThreshold: 3, ...limits }), ledger, { orphanAfterMs: 1 });
  const back = async (scene: Scene) => {
    await scene.pool.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    backUpFile(saved, path);
    return open();
  };
  return { open, back, save: () => backUpFile(path, saved) };
}

test('a pool that goes back to an earlier state is noticed, and the ledger is brought to that state', async () => {
  for (const later of [0, 20]) {
    const { open, back, save } = await scenes();
    let scene = await open();
    const [paid, kept] = [await scene.submitted('a>b:60'), await scene.submitted('b>c:10')];
    await scene.payments.catchUp();
    save();
    const lost = await scene.submitted('c>a:30');
    await scene.pool.drop([kept.hash], 'expired');
    await scene.finalized(paid);
    expect(await scene.available('a', 'b', 'c')).toEqual([40, 160, 70]);
    scene = await back(scene);
    onTestFinished(() => scene.pool.close());
    // Other events under the numbers of those that are gone.
    await scene.blocks(later);
    await scene.payments.catchUp();
    expect(scene.reports).toMatchObject([
      { kind: 'fell-back', store: 'pool' },
      { kind: 'unknown', hash: lost.hash },
    ]);
    expect(await scene.available('a', 'b', 'c')).toEqual([40, 90, 70]);
    await scene.finalized(paid, kept);
    expect(await scene.available('a', 'b', 'c')).toEqual([40, 150, 80]);
    await scene.expectClean();
  }
});

test('a pool that goes back to before the rows of a payment were removed: it is not paid again, and reported', async () => {
  const { open, back, save } = await scenes();
  let scene = await open({ maxFinalized: 2, maxRollback: 5 });
  const paid = await scene.submitted('a>b:60');
  await scene.payments.catchUp();
  save();
  await scene.finalized(paid);
  for (let i = 0; i < 3; i++) await scene.finalized(await scene.submitted('c>b:1'));
  await scene.blocks(5);
  await scene.payments.catchUp();
  expect(await scene.ledger.marks('main', [paid.hash])).toEqual([null]);
  scene = await back(scene);
  onTestFinished(() => scene.pool.close());
  await scene.finalized(paid);
  expect(await scene.available('a', 'b')).toEqual([40, 163]);
  expect(scene.reports).toContainEqual({ kind: 'stuck', hash: paid.hash, outcome: 'id_expired' });
  await scene.expectClean();
});
