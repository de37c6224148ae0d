import { ephemeral } from 'mempool-ephemeral';
import { expect, onTestFinished, test } from 'vitest';
import { ledgerPool, memoryLedger, newTransferId, openLedger, type PoolReport } from '../../src/index.ts';
import { crash, FaultyProcess, stall } from './faults.ts';
import { openScene, Scene } from './scene.ts';

const minuteMs = 60_000;

/** A pool and a ledger whose records are kept for a minute. Their clock is two hours behind, and `trim` brings it to now. */
async function openShortLived() {
  let lagMs = 120 * minuteMs;
  const now = () => Date.now() - lagMs;
  const pool = await ephemeral.open({ finalizeThreshold: 3, now });
  const ledger = await openLedger(memoryLedger, { currency: 'EUR', now, retentionMs: minuteMs });
  onTestFinished(async () => {
    await pool.close();
    await ledger.close();
  });
  for (const id of ['a', 'b', 'c']) await ledger.createWallet({ id, owner: id, currency: 'EUR' });
  const gift = () => ({ id: newTransferId(now()), source: '~vault', destination: 'a', amount: 100n, currency: 'EUR' });
  await ledger.transfer(gift());
  const trim = async () => {
    lagMs = 0;
    while ((await ledger.trim()).more);
    await ledger.transfer(gift());
  };
  return { pool, ledger, trim };
}

async function paidOnce(scene: Scene): Promise<void> {
  expect(await scene.available('a', 'b')).toEqual([140, 60]);
  await scene.expectClean();
}

test('a process that stood still at any call until the records of its events were trimmed does not pay again', async () => {
  for (let at = 1, stalled = true; stalled; at++) {
    const { pool, ledger, trim } = await openShortLived();
    const reports: PoolReport[] = [];
    const scene = new Scene(pool, ledger, { orphanAfterMs: 1, report: (report) => reports.push(report) });
    const payment = await scene.submitted('a>b:60');
    await scene.block(payment);
    await scene.blocks(2);
    const standing = stall();
    let here = () => {};
    const arrived = new Promise<true>((resolve) => (here = () => resolve(true)));
    const meet = () => {
      here();
      return standing.meet();
    };
    const process = new FaultyProcess({ at, when: 'before', meet });
    const own = ledgerPool(process.sees(pool), process.sees(ledger), scene.options).catchUp();
    stalled = await Promise.race([arrived, own.then(() => false)]);
    await scene.payments.catchUp();
    await trim();
    expect(await scene.reservations(payment)).toEqual([]);
    standing.release();
    await own;
    await paidOnce(scene);
    expect(reports).toEqual([]);
  }
});

test('what a process settled before it was killed is not paid again when its records are trimmed', async () => {
  for (let at = 1, crashed = true; crashed; at++) {
    const { pool, ledger, trim } = await openShortLived();
    const reports: PoolReport[] = [];
    const scene = new Scene(pool, ledger, { orphanAfterMs: 1, report: (report) => reports.push(report) });
    const payment = await scene.submitted('a>b:60');
    await scene.payments.catchUp();
    await scene.block(payment);
    await scene.blocks(2);
    const process = new FaultyProcess({ at, when: 'after', meet: crash });
    const own = ledgerPool(process.sees(pool), process.sees(ledger), scene.options).catchUp();
    crashed = await own.then(
      () => false,
      () => true,
    );
    await trim();
    await scene.payments.catchUp();
    await paidOnce(scene);
    expect(reports).toEqual([]);
  }
});

test('a later life of a hash whose first records were trimmed is paid for, without and with a reservation', async () => {
  for (const way of ['receive', 'submit'] as const) {
    const { pool, ledger, trim } = await openShortLived();
    const scene = new Scene(pool, ledger, { orphanAfterMs: 1 });
    const payment = await scene.submitted('a>b:60');
    await pool.drop([payment.hash], 'failed');
    await scene.payments.catchUp();
    expect(await scene.reservations(payment)).toEqual(['voided']);
    await trim();
    if (way === 'submit') await scene.payments.submit(payment);
    else await pool.receive([payment]);
    await scene.payments.catchUp();
    expect(await scene.reservations(payment)).toEqual(['pending']);
    await scene.finalized(payment);
    expect(await scene.reservations(payment)).toEqual(['posted']);
    await paidOnce(scene);
  }
});

test('a payment whose records were trimmed is given back', async () => {
  const { pool, ledger, trim } = await openShortLived();
  const scene = new Scene(pool, ledger, { postOn: 'confirmed' });
  const payment = await scene.submitted('a>b:60');
  await scene.block(payment);
  await scene.payments.catchUp();
  await trim();
  await scene.undo(1);
  await pool.drop([payment.hash], 'expired');
  await scene.payments.catchUp();
  expect(await scene.available('a', 'b')).toEqual([200, 0]);
  expect(scene.reports).toEqual([]);
  await scene.expectClean();
});

test('processes that stood still at any call until the pool and the coupling had forgotten the transaction do not pay again', async () => {
  let time = Date.now() - 120 * minuteMs;
  const scene = await openScene({ orphanAfterMs: 1, pool: { maxFinalized: 2, maxRollback: 5, now: () => ++time } });
  const payment = await scene.submitted('a>b:60');
  await scene.block(payment);
  await scene.blocks(2);
  const standing = stall();
  const stalled: Promise<void>[] = [];
  for (let at = 1, ended = false; !ended; at++) {
    const arrived = Promise.withResolvers<false>();
    const meet = () => {
      arrived.resolve(false);
      return standing.meet();
    };
    const process = new FaultyProcess({ at, when: 'before', meet });
    const own = ledgerPool(process.sees(scene.pool), process.sees(scene.ledger), scene.options).catchUp();
    ended = await Promise.race([arrived.promise, own.then(() => true)]);
    stalled.push(own);
  }
  expect(stalled.length).toBeGreaterThan(10);
  await forgotten(scene, payment);
  standing.release();
  await Promise.all(stalled);
  await scene.payments.catchUp();
  expect(await scene.available('a', 'b')).toEqual([40, 160]);
  expect(scene.reports).toEqual([]);
  await scene.expectClean();
});

/** Goes on until neither the pool nor the coupling knows a transaction any more. */
async function forgotten(scene: Scene, { hash }: { readonly hash: string }): Promise<void> {
  for (let i = 0; i < 3; i++) {
    const other = scene.payment('nobody>b:0');
    await scene.pool.receive([other]);
    await scene.finalized(other);
  }
  expect(await scene.pool.status([hash])).toMatchObject([{ stage: 'Unknown' }]);
  await scene.blocks(5);
  await scene.payments.catchUp();
  expect(await scene.ledger.marks('main', [hash])).toEqual([null]);
}
