import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnLedger } from '../../case/must.ts';
import {
  allRecords,
  coin,
  created,
  fund,
  most,
  move,
  outcomeOf,
  totals,
  walletOf,
  whole,
} from '../../scenario/ledger.ts';

const once = eachOnLedger({
  'T1/repeated: the same call again has no second effect, and gets the same record': async (ledger) => {
    await fund(ledger, { a: 10n, b: 0n });
    const call = move('t', 'a', 'b', 4n, { description: 'rent', metadata: { k: 'v' } });
    const first = await ledger.transfer(call);
    const before = await whole(ledger);
    assert.deepEqual([first.outcome, first.replayed], ['created', false]);
    assert.deepEqual(await ledger.transfer({ ...call }), { ...first, replayed: true });
    assert.deepEqual(await whole(ledger), before);
  },
  'T2/other-content: an id with any other content is a conflict, and changes nothing': async (ledger) => {
    await fund(ledger, { a: 10n, b: 0n, c: 0n });
    const call = move('t', 'a', 'b', 1n);
    await created(ledger.transfer(call));
    const before = await whole(ledger);
    const others = [
      { amount: 2n },
      { source: 'b' },
      { destination: 'c' },
      { currency: 'OTHER' },
      { description: 'x' },
      { metadata: { a: '' } },
    ];
    for (const other of others)
      assert.deepEqual(await ledger.transfer({ ...call, ...other }), {
        outcome: 'id_conflict',
        transfer: null,
        replayed: false,
      });
    assert.equal(await outcomeOf(ledger.reserve(call)), 'id_conflict');
    assert.equal(await outcomeOf(ledger.post({ id: 't', pendingId: 't' })), 'id_conflict');
    assert.equal(await outcomeOf(ledger.void({ id: 't', pendingId: 't' })), 'id_conflict');
    assert.deepEqual(await whole(ledger), before);
  },
  'T3/sticks: a refusal is the answer for ever, also when the call would succeed now': async (ledger) => {
    await fund(ledger, { a: 1n, b: 0n });
    const call = move('t', 'a', 'b', 2n);
    const refused = await ledger.transfer(call);
    assert.deepEqual([refused.outcome, refused.replayed], ['insufficient_funds', false]);
    await created(ledger.transfer(move('more', '~vault', 'a', 5n)));
    assert.deepEqual(await ledger.transfer(call), { ...refused, replayed: true });
    assert.deepEqual(await totals(ledger, 'b'), [0n, 0n, 0n, 0n]);
    await created(ledger.transfer({ ...call, id: 'new' }));
  },
});

const refusing = eachOnLedger({
  'T7/own-record: a refusal adds its own record and nothing else': async (ledger) => {
    await fund(ledger, { a: 1n, b: 0n });
    const wallets = await ledger.wallets();
    const before = await allRecords(ledger);
    const { transfer } = await ledger.transfer(move('t', 'a', 'b', 2n, { description: 'd', metadata: { m: 'n' } }));
    const after = await allRecords(ledger);
    assert.deepEqual([after.slice(0, -1), await ledger.wallets()], [before, wallets]);
    const { at, digest, ...rest } = transfer ?? assert.fail('a refusal that sticks has a record');
    assert.deepEqual(after.at(-1), { type: 'transfer', seq: rest.seq, at, digest, transfer });
    assert.deepEqual(rest, {
      ...{ id: 't', kind: 'transfer', outcome: 'insufficient_funds', state: 'refused', source: 'a', destination: 'b' },
      ...{ amount: 2n, currency: coin, description: 'd', metadata: { m: 'n' }, pendingId: null, released: 0n },
      ...{ expiresAt: null, arbiter: null, payerMayVoid: false, seq: before.length + 1 },
    });
    assert.deepEqual(await ledger.findTransfer('t'), transfer);
  },
  'T6/exactly: a wallet gives all that it has, and not one unit more': async (ledger) => {
    await fund(ledger, { a: 10n, b: 0n, c: 10n });
    assert.equal(await outcomeOf(ledger.transfer(move('more', 'a', 'b', 11n))), 'insufficient_funds');
    await created(ledger.transfer(move('all', 'a', 'b', 10n)));
    assert.equal(await outcomeOf(ledger.transfer(move('one', 'a', 'b', 1n))), 'insufficient_funds');
    assert.equal(await outcomeOf(ledger.reserve(move('r', 'c', 'b', 11n))), 'insufficient_funds');
    await created(ledger.reserve(move('r10', 'c', 'b', 10n)));
  },
});

const amounts = eachOnLedger({
  'T5/exact: amounts above 2^53 and of 2^63 − 1 are exact': async (ledger) => {
    const above = 2n ** 53n + 1n;
    await fund(ledger, { a: above, b: 0n });
    await created(ledger.transfer(move('t', 'a', 'b', 1n)));
    assert.deepEqual(await totals(ledger, 'a'), [above, 1n, 0n, 0n]);
    await created(ledger.reserve(move('r', 'a', 'b', above - 1n)));
    assert.deepEqual(await totals(ledger, 'b'), [1n, 0n, above - 1n, 0n]);
    const { amount } = await created(ledger.post({ id: 'p', pendingId: 'r' }));
    assert.deepEqual([amount, await totals(ledger, 'b')], [above - 1n, [above, 0n, 0n, 0n]]);
    assert.equal((await ledger.findTransfer('r'))?.amount, above - 1n);
  },
  'T5/most: a wallet takes 2^63 − 1 and gives it back': async (ledger) => {
    await fund(ledger, { a: most });
    assert.deepEqual(await totals(ledger, 'a'), [most, 0n, 0n, 0n]);
    await created(ledger.transfer(move('t', 'a', '~vault', most)));
    assert.deepEqual(
      [await totals(ledger, 'a'), await totals(ledger, '~vault')],
      [
        [most, most, 0n, 0n],
        [most, most, 0n, 0n],
      ],
    );
  },
  'T5/overflow-credits: no running total exceeds 2^63 − 1, counted with what is pending': async (ledger) => {
    await fund(ledger, { a: most - 3n });
    await ledger.createWallet({ ...walletOf('other'), overdraft: true });
    assert.equal(await outcomeOf(ledger.transfer(move('t4', 'other', 'a', 4n))), 'overflow');
    await created(ledger.reserve(move('r2', 'other', 'a', 2n)));
    assert.equal(await outcomeOf(ledger.reserve(move('r3', 'other', 'a', 2n))), 'overflow');
    assert.equal(await outcomeOf(ledger.transfer(move('t2', 'other', 'a', 2n))), 'overflow');
    await created(ledger.transfer(move('t1', 'other', 'a', 1n)));
    await created(ledger.post({ id: 'p', pendingId: 'r2' }));
    assert.deepEqual(await totals(ledger, 'a'), [most, 0n, 0n, 0n]);
  },
  'T5/not-amounts: anything but a bigint of 1 to 2^63 − 1 is no amount, and the id stays free': async (ledger) => {
    await fund(ledger, { a: 10n, b: 0n });
    const before = await whole(ledger);
    for (const amount of [0n, -1n, most + 1n, 2n ** 64n + 1n, 1, 1.5, '1', null, Number.NaN]) {
      const call = { ...move('t', 'a', 'b', 1n), amount } as ReturnType<typeof move>;
      const refused = { outcome: 'invalid_amount', transfer: null, replayed: false };
      assert.deepEqual([await ledger.transfer(call), await ledger.reserve(call)], [refused, refused]);
    }
    assert.deepEqual(await whole(ledger), before);
    await created(ledger.transfer(move('t', 'a', 'b', 1n)));
  },
});

export const transferCases: readonly ConformanceCase[] = [...once, ...refusing, ...amounts];
