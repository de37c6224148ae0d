import { ephemeral } from 'mempool-ephemeral';
import { expect, test } from 'vitest';
import { ledgerPool } from '../../src/index.ts';
import { Crash, crash, FaultyProcess } from './faults.ts';
import { openScene, Scene } from './scene.ts';

/** A submission whose process is killed at its last call but one, the pool's `submit`. */
async function crashedSubmission(scene: Scene, when: 'before' | 'after') {
  const payment = scene.payment('a>b:60');
  for (let at = 1; ; at++) {
    const process = new FaultyProcess({ at, when, meet: crash });
    const own = ledgerPool(process.sees(scene.pool), process.sees(scene.ledger), scene.options);
    await own.submit(payment).catch((error: unknown) => expect(error).toBeInstanceOf(Crash));
    if ((await scene.reservations(payment)).length > 0) return payment;
  }
}

test('a submission that was killed after its reservation is voided once it is old enough', async () => {
  const scene = await openScene({ orphanAfterMs: 20_000 });
  const payment = await crashedSubmission(scene, 'after');
  await scene.payments.catchUp();
  expect(await scene.reservations(payment)).toEqual(['pending']);
  const impatient = new Scene(scene.pool, scene.ledger, { orphanAfterMs: 1 });
  await impatient.payments.catchUp();
  expect(await scene.reservations(payment)).toEqual(['voided']);
  expect(await scene.payments.submit(payment)).toMatchObject({ kind: 'received' });
  expect(await scene.reservations(payment)).toEqual(['voided', 'pending']);
});

test('after a loss of events what the pool still knows is settled, and what it does not know stays open and is reported', async () => {
  const scene = await openScene({ orphanAfterMs: 1, pool: { maxEvents: 10, maxFinalized: 4 } });
  const [unknown, final, dropped, live, undone] = [
    await scene.submitted('a>b:10'),
    await scene.submitted('a>b:20'),
    await scene.submitted('a>b:5'),
    await scene.submitted('a>b:1'),
    await scene.submitted('b>c:50'),
  ];
  await scene.finalized(undone);
  expect(await scene.reservations(undone)).toEqual(['posted']);
  await scene.undo(3);
  await scene.pool.drop([unknown.hash], 'expired');
  for (let i = 0; i < 6; i++) {
    const noise = scene.payment('nobody>b:0');
    await scene.pool.receive([noise]);
    await scene.pool.drop([noise.hash], 'expired');
  }
  await scene.block(final);
  await scene.blocks(2);
  await scene.pool.drop([dropped.hash], 'expired');
  for (let i = 0; i < 12; i++) await scene.block();
  await scene.payments.catchUp();
  expect(await scene.reservations(unknown)).toEqual(['pending']);
  expect(await scene.reservations(final)).toEqual(['posted']);
  expect(await scene.reservations(dropped)).toEqual(['voided']);
  expect(await scene.reservations(live)).toEqual(['pending']);
  expect(await scene.reservations(undone)).toEqual(['posted', 'pending']);
  expect(scene.reports.map(({ kind }) => kind).slice(0, 2)).toEqual(['lagged', 'unknown']);
  await scene.payments.catchUp();
  expect(await scene.reservations(unknown)).toEqual(['pending']);
  expect(await scene.payments.submit(unknown)).toMatchObject({ kind: 'received' });
  await scene.finalized(unknown, undone, live);
  expect(await scene.reservations(unknown)).toEqual(['posted']);
  expect(await scene.available('a', 'b', 'c')).toEqual([69, 81, 150]);
  await scene.expectClean();
});

test('a crash in the middle of making a loss good is made good too', async () => {
  for (let at = 1; ; at++) {
    const scene = await openScene({ orphanAfterMs: 1, pool: { maxEvents: 5 } });
    const [final, dropped] = [await scene.submitted('a>b:20'), await scene.submitted('a>b:5')];
    await scene.payments.catchUp();
    await scene.block(final);
    await scene.pool.drop([dropped.hash], 'expired');
    for (let i = 0; i < 8; i++) await scene.block();
    const process = new FaultyProcess({ at, when: 'before', meet: crash });
    const own = ledgerPool(process.sees(scene.pool), process.sees(scene.ledger), scene.options);
    const crashed = await own.catchUp().then(
      () => false,
      () => true,
    );
    await scene.payments.catchUp();
    expect([await scene.reservations(final), await scene.reservations(dropped)]).toEqual([['posted'], ['voided']]);
    expect(await scene.available('a', 'b')).toEqual([80, 120]);
    if (!crashed) return;
  }
});

test('a pool that was made anew: what it does not know stays open, and serves when it comes again', async () => {
  const scene = await openScene({ orphanAfterMs: 1 });
  const [again, lost] = [await scene.submitted('a>b:60'), await scene.submitted('b>c:10')];
  await scene.payments.catchUp();
  const pool = await ephemeral.open({ finalizeThreshold: 3 });
  const anew = new Scene(pool, scene.ledger, { orphanAfterMs: 1, report: (report) => scene.reports.push(report) });
  await anew.payments.catchUp();
  expect(scene.reports.map(({ kind }) => kind)).toEqual(['fell-back', 'unknown', 'unknown']);
  expect(await anew.payments.submit(again)).toMatchObject({ kind: 'received' });
  await anew.block(again);
  await anew.blocks(2);
  await anew.payments.catchUp();
  expect(await anew.reservations(again)).toEqual(['posted']);
  expect(await anew.reservations(lost)).toEqual(['pending']);
  await pool.close();
});

test('a follower settles what comes, several at once, until it is stopped', async () => {
  const scene = await openScene();
  const stop = new AbortController();
  const running = [scene.payments.follow(stop), scene.payments.follow(stop)];
  const payment = await scene.submitted('a>b:60');
  await scene.block(payment);
  await scene.blocks(2);
  for await (const record of scene.ledger.subscribe()) {
    if (record.type === 'transfer' && record.transfer.kind === 'post') break;
  }
  stop.abort();
  await Promise.all(running);
  expect(await scene.available('a', 'b')).toEqual([40, 160]);
  await scene.expectClean();
});

test('after a loss of events all that cannot be paid are dropped, at one place of the log', async () => {
  const scene = await openScene({ pool: { maxEvents: 10 } });
  const payments = [await scene.submitted('a>b:60'), await scene.submitted('a>c:40')];
  const hashes = payments.map(({ hash }) => hash);
  await scene.pool.drop(hashes, 'expired');
  await scene.payments.catchUp();
  await scene.ledger.transfer({ id: 'all', source: 'a', destination: 'c', amount: 100n, currency: 'EUR' });
  await scene.pool.receive(payments);
  await scene.blocks(12);
  await scene.payments.catchUp();
  const reason = { app: 'unfunded' };
  expect(await scene.pool.status(hashes)).toMatchObject(hashes.map(() => ({ stage: 'Dropped', reason })));
});
