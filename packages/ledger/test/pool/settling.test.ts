import { expect, test } from 'vitest';
import type { PoolTransfer } from '../../src/index.ts';
import { transferOf } from './payment.ts';
import { openScene } from './scene.ts';

const money = { currency: 'EUR', amount: 1n };

test('nobody can take the ids with which a payment is settled', async () => {
  const scene = await openScene();
  const [paid, dropped] = [await scene.submitted('a>b:60'), await scene.submitted('b>c:10')];
  const prefix = `~main.${paid.hash}`;
  for await (const { transfer } of reservations(scene)) {
    // Refused calls are kept under their ids for ever.
    for (const id of [`post.${transfer.id}`, `void.${transfer.id}`, `withdraw.${transfer.id}`]) {
      await scene.ledger.post({ id, pendingId: 'nothing' });
    }
  }
  for (const id of [prefix, `${prefix}:1`, `${prefix}:2`, '~main.x']) {
    expect(await scene.ledger.transfer({ ...money, id, source: 'a', destination: 'b' })).toMatchObject({
      outcome: 'invalid_id',
    });
  }
  await scene.pool.drop([dropped.hash], 'expired');
  await scene.finalized(paid);
  expect(await scene.available('a', 'b', 'c')).toEqual([40, 160, 100]);
  expect(scene.reports).toEqual([]);
});

async function* reservations({ ledger }: Awaited<ReturnType<typeof openScene>>) {
  for (const record of await ledger.records(0)) {
    if (record.type === 'transfer' && record.transfer.kind === 'reserve') yield record;
  }
}

/** What an application's `transferOf` may make of bytes that it did not expect. */
const unreadable: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new SyntaxError('no JSON');
  },
  rejects: () => Promise.reject(new Error('no payment')),
  undefined: () => undefined,
  text: () => 'a>b:60',
  'no payer': () => ({ ...money, destination: 'b' }),
  'amount as a number': () => ({ ...money, source: 'a', destination: 'b', amount: 60 }),
  'amount below 1': () => ({ ...money, source: 'a', destination: 'b', amount: 0n }),
  'amount too large': () => ({ ...money, source: 'a', destination: 'b', amount: 2n ** 63n }),
  'no currency': () => ({ source: 'a', destination: 'b', amount: 1n }),
  'payer too long': () => ({ ...money, source: 'a'.repeat(65), destination: 'b' }),
  'description of another type': () => ({ ...money, source: 'a', destination: 'b', description: 1 }),
  'malformed signature': () => ({ ...money, source: 'a', destination: 'b', signature: 'none' }),
};

for (const [name, give] of Object.entries(unreadable)) {
  test(`a transaction that cannot be read (${name}) is reported and skipped at every stage, and the follower goes on`, async () => {
    const bad = 'bad';
    const scene = await openScene({
      transferOf: (transaction) =>
        Buffer.from(transaction.payload).toString() === bad ? (give() as PoolTransfer) : transferOf(transaction),
    });
    const unread = { hash: 'ab'.repeat(32), payload: Buffer.from(bad) };
    await scene.pool.receive([unread]);
    await scene.payments.catchUp();
    expect(scene.reports).toMatchObject([{ kind: 'unreadable', hash: unread.hash }]);
    const next = await scene.submitted('a>b:60');
    await scene.finalized(unread, next);
    expect(await scene.available('a', 'b')).toEqual([40, 160]);
    expect(new Set(scene.reports.map(({ kind }) => kind))).toEqual(new Set(['unreadable']));
    await expect(scene.payments.submit({ ...unread, hash: 'cd'.repeat(32) })).rejects.toThrow();
  });
}

test('no transaction takes money of the system, nor of a payer whom the application does not confirm', async () => {
  const asked: string[] = [];
  const scene = await openScene({
    authorise: (_, { source }) => {
      asked.push(source);
      return source === 'a';
    },
    transferOf: ({ payload }) => {
      const [source, destination, amount] = JSON.parse(Buffer.from(payload).toString());
      return {
        source: source === 'system' ? '~debt.EUR' : source,
        destination,
        amount: BigInt(amount),
        currency: 'EUR',
      };
    },
  });
  await scene.ledger.debtWallet('EUR');
  for (const text of ['b>c:10', 'system>b:10']) {
    const refused = scene.payment(text);
    expect(await scene.payments.submit(refused)).toMatchObject({ kind: 'refused', outcome: 'unauthorised' });
    // Past `submit`: at rest it is dropped, and in a block it is stuck.
    const [late, mined] = [scene.payment(text), scene.payment(text)];
    await scene.pool.receive([late, mined]);
    await scene.block(mined);
    await scene.payments.catchUp();
    expect(await scene.pool.status(late.hash)).toMatchObject({ stage: 'Dropped', reason: { app: 'unfunded' } });
    await scene.finalized();
    const told = scene.reports.splice(0).filter((report) => report.kind === 'stuck' || report.kind === 'unfunded');
    expect(told).toContainEqual({ kind: 'unfunded', hash: late.hash, outcome: 'unauthorised' });
    expect(told).toContainEqual({ kind: 'stuck', hash: mined.hash, outcome: 'unauthorised' });
  }
  expect(asked).not.toContain('~debt.EUR');
  expect(await scene.available('a', 'b', 'c', '~debt.EUR')).toEqual([100, 100, 100, 0]);
  await scene.submitted('a>b:60');
  expect(await scene.available('a')).toEqual([40]);
});

test('a wallet of a user is never taken for one of the system', async () => {
  const scene = await openScene();
  await scene.ledger.createWallet({ id: 'debt', owner: 'eve', currency: 'EUR' });
  await scene.ledger.transfer({ ...money, id: 'gift eve', source: 'a', destination: 'debt', amount: 90n });
  for (const id of ['~debt', '~debt.EUR', '~']) {
    expect(await scene.ledger.createWallet({ id, owner: 'eve', currency: 'EUR' })).toMatchObject({
      outcome: 'invalid_id',
    });
  }
  const poor = scene.payment('a>b:60');
  await scene.block(poor);
  await scene.pool.receive([poor]);
  await scene.finalized();
  expect(await scene.available('a', 'b', 'debt', '~debt.EUR')).toEqual([10, 160, 90, -60]);
  expect(scene.reports).toMatchObject([{ kind: 'uncovered', payer: 'a' }]);
  await scene.expectClean();
});

test('a reservation that an operator has posted or voided is taken as it is', async () => {
  const scene = await openScene();
  const [posted, voided] = [await scene.submitted('a>b:60'), await scene.submitted('b>c:30')];
  for await (const { transfer } of reservations(scene)) {
    const call = { id: `by hand ${transfer.id.slice(-8)}`, pendingId: transfer.id };
    if (transfer.source === 'a') await scene.ledger.post(call);
    else await scene.ledger.void(call);
  }
  await scene.finalized(posted, voided);
  expect(await scene.available('a', 'b', 'c')).toEqual([40, 130, 130]);
  await scene.undo(3);
  await scene.pool.drop([posted.hash, voided.hash], 'expired');
  await scene.payments.catchUp();
  expect(await scene.available('a', 'b', 'c')).toEqual([100, 100, 100]);
  expect(scene.reports).toEqual([]);
  await scene.expectClean();
});
