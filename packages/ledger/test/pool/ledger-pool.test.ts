import { isMempoolError } from 'mempool-core';
import { expect, test } from 'vitest';
import { ledgerPool } from '../../src/index.ts';
import { authorise, transferOf } from './payment.ts';
import { openScene } from './scene.ts';

test('a transaction reserves when it is admitted, and its money moves when it is final', async () => {
  const scene = await openScene();
  const payment = await scene.submitted('a>b:60');
  expect(await scene.available('a', 'b')).toEqual([40, 100]);
  await scene.pool.markInflight([payment.hash]);
  await scene.block(payment);
  await scene.blocks(1);
  await scene.payments.catchUp();
  expect(await scene.available('a', 'b')).toEqual([40, 100]);
  await scene.blocks(1);
  await scene.payments.catchUp();
  expect(await scene.available('a', 'b')).toEqual([40, 160]);
  expect(await scene.reservations(payment)).toEqual(['posted']);
  expect(scene.reports).toEqual([]);
  await scene.expectClean();
});

test('without the money the submission is refused and the pool has not seen it; after a top-up it is received', async () => {
  const scene = await openScene();
  const payment = scene.payment('a>b:150');
  expect(await scene.payments.submit(payment)).toMatchObject({
    kind: 'refused',
    code: 402,
    outcome: 'insufficient_funds',
  });
  expect(await scene.pool.status(payment.hash)).toMatchObject({ stage: 'Unknown' });
  await scene.ledger.transfer({ id: 'top-up', source: '~vault', destination: 'a', amount: 50n, currency: 'EUR' });
  expect(await scene.payments.submit(payment)).toMatchObject({ kind: 'received' });
  expect(await scene.payments.submit(payment)).toMatchObject({ kind: 'duplicate', stage: 'Pending' });
  expect(await scene.reservations(payment)).toEqual(['pending']);
  await scene.payments.catchUp();
  expect(await scene.available('a')).toEqual([0]);
  await scene.expectClean();
});

test('a block revives a dropped transaction (L7): its payer pays, or the debt wallet', async () => {
  const scene = await openScene();
  const [rich, poor] = [await scene.submitted('a>b:60'), await scene.submitted('b>c:90')];
  await scene.pool.drop([rich.hash, poor.hash], 'expired');
  await scene.payments.catchUp();
  await scene.ledger.transfer({ id: 'spent', source: 'b', destination: 'c', amount: 50n, currency: 'EUR' });
  await scene.block(rich, poor);
  await scene.payments.catchUp();
  expect(await scene.reservations(rich)).toEqual(['voided', 'pending']);
  expect(await scene.reservations(poor)).toEqual(['voided', 'pending by debt']);
  await scene.blocks(2);
  await scene.payments.catchUp();
  expect(await scene.available('a', 'b', 'c', '~debt.EUR')).toEqual([40, 110, 240, -90]);
  expect(scene.reports).toMatchObject([{ kind: 'uncovered', hash: poor.hash, payer: 'b' }]);
  await scene.expectClean();
});

test('what the debt wallet carries is voided when the chain lets go of it, and the payer is asked again', async () => {
  const scene = await openScene();
  const [rich, poor] = [await scene.submitted('a>c:60'), await scene.submitted('b>c:90')];
  await scene.pool.drop([rich.hash, poor.hash], 'expired');
  await scene.payments.catchUp();
  for (const source of ['a', 'b']) {
    await scene.ledger.transfer({ id: `spent ${source}`, source, destination: '~vault', amount: 50n, currency: 'EUR' });
  }
  await scene.block();
  await scene.block(rich, poor);
  await scene.payments.catchUp();
  await scene.ledger.transfer({ id: 'top-up', source: '~vault', destination: 'a', amount: 50n, currency: 'EUR' });
  await scene.undo(1);
  await scene.payments.catchUp();
  expect(await scene.reservations(rich)).toEqual(['voided', 'voided by debt', 'pending']);
  expect(await scene.reservations(poor)).toEqual(['voided', 'voided by debt']);
  expect(await scene.pool.status(poor.hash)).toMatchObject({ stage: 'Dropped', reason: { app: 'unfunded' } });
  await scene.payments.catchUp();
  expect(await scene.available('a', 'b', '~debt.EUR')).toEqual([40, 50, 0]);
  await scene.expectClean();
});

test('a roll-back of a Finalized one gives the money back and reserves it again (L9)', async () => {
  const scene = await openScene();
  const payment = await scene.submitted('a>b:60');
  await scene.block();
  await scene.finalized(payment);
  expect(await scene.available('a', 'b')).toEqual([40, 160]);
  await scene.undo(3);
  await scene.payments.catchUp();
  expect(await scene.available('a', 'b')).toEqual([40, 100]);
  expect(await scene.reservations(payment)).toEqual(['posted', 'pending']);
  await scene.finalized(payment);
  expect(await scene.available('a', 'b')).toEqual([40, 160]);
  expect(scene.reports).toEqual([]);
  await scene.undo(3);
  await scene.pool.drop([payment.hash], 'expired');
  await scene.payments.catchUp();
  expect(await scene.available('a', 'b')).toEqual([100, 100]);
  expect(await scene.reservations(payment)).toEqual(['posted', 'posted', 'voided']);
  await scene.expectClean();
});

test('money that the payee has spent before the roll-back is given back by the debt wallet', async () => {
  const scene = await openScene();
  const payment = await scene.submitted('a>b:60');
  await scene.finalized(payment);
  await scene.ledger.transfer({ id: 'spent', source: 'b', destination: '~vault', amount: 150n, currency: 'EUR' });
  await scene.undo(3);
  await scene.payments.catchUp();
  expect(await scene.available('a', 'b', '~debt.EUR')).toEqual([40, 10, -60]);
  expect(scene.reports).toMatchObject([{ kind: 'shortfall', hash: payment.hash }]);
  await scene.expectClean();
});

test('a replacement needs the money of both until the pool has decided; then the old one is voided', async () => {
  const pay = ({ payload }: { readonly payload: Uint8Array }) => {
    const { amount } = transferOf({ payload }) ?? { amount: 0n };
    return { priority: amount, provides: ['nonce 1'] };
  };
  const scene = await openScene({ pool: { ordering: 'priority', validate: pay } });
  const [old, dear, better] = [await scene.submitted('a>b:30'), scene.payment('a>b:80'), scene.payment('a>b:60')];
  expect(await scene.payments.submit(dear)).toMatchObject({ kind: 'refused', outcome: 'insufficient_funds' });
  expect(await scene.payments.submit(better)).toMatchObject({ kind: 'received' });
  expect(await scene.available('a')).toEqual([10]);
  await scene.payments.catchUp();
  expect(await scene.available('a')).toEqual([40]);
  expect(await scene.reservations(old)).toEqual(['voided']);
  const cheap = scene.payment('a>b:1');
  expect(await scene.payments.submit(cheap)).toMatchObject({ kind: 'replacement-underpriced' });
  expect(await scene.reservations(cheap)).toEqual(['voided']);
  expect(await scene.available('a')).toEqual([40]);
});

test('what the pool refuses is voided at once; a transaction that moves no money needs no wallet', async () => {
  const scene = await openScene({ pool: { maxTxs: 2 } });
  await scene.submitted('a>b:10');
  const free = scene.payment('nobody>b:0');
  const outcomes = await scene.payments.receive([free, scene.payment('a>b:20'), scene.payment('a>b:500')]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['received', 'full', 'refused']);
  expect(await scene.available('a')).toEqual([90]);
  await expect(scene.payments.submit({ ...scene.payment('a>b:1'), payloadType: -1 })).rejects.toSatisfy((error) =>
    isMempoolError(error),
  );
  expect(await scene.available('a')).toEqual([90]);
  await scene.payments.catchUp();
  await scene.expectClean();
});

test('what comes past submit is reserved late, or dropped as unfunded', async () => {
  const scene = await openScene();
  const [covered, not] = [scene.payment('a>b:60'), scene.payment('a>b:60')];
  await scene.pool.receive([covered, not]);
  await scene.payments.catchUp();
  expect(await scene.reservations(covered)).toEqual(['pending']);
  expect(await scene.pool.status(not.hash)).toMatchObject({ stage: 'Dropped', reason: { app: 'unfunded' } });
  expect(scene.reports).toMatchObject([{ kind: 'unfunded', hash: not.hash, outcome: 'insufficient_funds' }]);
});

test('a hash that is reserved for other terms is refused', async () => {
  const scene = await openScene();
  const payment = await scene.submitted('a>b:60');
  const forged = { ...scene.payment('a>b:1'), hash: `0x${payment.hash.toUpperCase()}` };
  expect(await scene.payments.submit(forged)).toMatchObject({ kind: 'refused', outcome: 'id_conflict' });
});

test('fifty submissions of one hash at once reserve once', async () => {
  const scene = await openScene();
  const payment = scene.payment('a>b:60');
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => scene.payments.submit(payment)));
  expect(outcomes.filter(({ kind }) => kind === 'received')).toHaveLength(1);
  expect(outcomes.filter(({ kind }) => kind === 'duplicate')).toHaveLength(49);
  expect(await scene.reservations(payment)).toEqual(['pending']);
});

test('a wallet that was closed: the debt wallet cannot help either, and the follower goes on', async () => {
  const scene = await openScene();
  const payment = await scene.submitted('a>c:60');
  await scene.pool.drop([payment.hash], 'expired');
  await scene.payments.catchUp();
  await scene.ledger.transfer({ id: 'all', source: 'c', destination: '~vault', amount: 100n, currency: 'EUR' });
  await scene.ledger.closeWallet('c');
  const next = await scene.submitted('a>b:10');
  await scene.finalized(payment, next);
  expect(scene.reports).toMatchObject([
    { kind: 'stuck', outcome: 'wallet_closed' },
    { kind: 'stuck', outcome: 'wallet_closed' },
  ]);
  expect(await scene.available('a', 'b')).toEqual([90, 110]);
});

test('two couplings with one ledger do not meet', async () => {
  const scene = await openScene();
  const other = await openScene();
  const second = ledgerPool(other.pool, scene.ledger, { transferOf, authorise, name: 'second' });
  const payment = await scene.submitted('a>b:30');
  expect(await second.submit(payment)).toMatchObject({ kind: 'received' });
  expect(await scene.available('a')).toEqual([40]);
  await other.pool.drop([payment.hash], 'expired');
  await second.catchUp();
  await scene.payments.catchUp();
  expect(await scene.available('a')).toEqual([70]);
});

test('a wrong option is refused by its name', async () => {
  const { pool, ledger } = await openScene();
  const field = (options: object) => {
    try {
      ledgerPool(pool, ledger, { transferOf, authorise, ...options });
    } catch (error) {
      return (error as { field?: string }).field;
    }
    return null;
  };
  expect(field({ name: 'a b' })).toBe('name');
  expect(field({ postOn: 'pending' as never })).toBe('postOn');
  expect(field({ orphanAfterMs: 0 })).toBe('orphanAfterMs');
  expect(field({ transferOf: undefined as never })).toBe('transferOf');
  expect(field({ authorise: undefined as never })).toBe('authorise');
  expect(field({ report: 1 as never })).toBe('report');
  expect(field({ other: 1 })).toBe('other');
});
