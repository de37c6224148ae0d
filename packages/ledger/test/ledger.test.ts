import { expect, test } from 'vitest';
import { memoryLedger, openLedger } from '../src/index.ts';

test('of several callers that saw the same end of a series, one makes the next reservation', async () => {
  const ledger = await openLedger(memoryLedger, { currency: 'ADA' });
  await ledger.createWallet({ id: 'alice', owner: 'alice', currency: 'ADA' });
  const call = { source: 'vault', destination: 'alice', amount: 5n, currency: 'ADA', series: 's' };
  expect(await ledger.seriesEnd('s')).toEqual({ number: 0, last: null });
  expect(await ledger.reserve({ ...call, after: 0 })).toMatchObject({ transfer: { id: '~s:1' }, replayed: false });
  await ledger.post({ id: 'p', pendingId: '~s:1' });
  const late = await ledger.reserve({ ...call, after: 0, amount: 6n });
  expect(late).toMatchObject({
    outcome: 'created',
    transfer: { id: '~s:1', state: 'posted', amount: 5n },
    replayed: true,
  });
  expect(await ledger.reserve({ ...call, after: 1 })).toMatchObject({ transfer: { id: '~s:2' }, replayed: false });
  expect(await ledger.seriesEnd('s')).toMatchObject({ number: 2, last: { id: '~s:2', state: 'pending' } });
  await expect(ledger.reserve({ ...call, series: undefined, id: 'a', after: 1 })).rejects.toMatchObject({
    field: 'after',
  });
  await ledger.close();
});

test('money comes out of the vault, is reserved, posted in part and audited', async () => {
  const ledger = await openLedger(memoryLedger, { currency: 'ADA' });
  for (const id of ['alice', 'bob']) await ledger.createWallet({ id, owner: id, currency: 'ADA' });
  const money = { currency: 'ADA', description: 'a gift' };
  const gift = { ...money, id: 't1', source: 'vault', destination: 'alice', amount: 100n };
  expect(await ledger.transfer(gift)).toMatchObject({ outcome: 'created', replayed: false });
  expect(await ledger.transfer(gift)).toMatchObject({ outcome: 'created', replayed: true });
  expect((await ledger.transfer({ ...gift, amount: 101n })).outcome).toBe('id_conflict');
  const reserved = await ledger.reserve({ ...money, series: 'a', source: 'alice', destination: 'bob', amount: 60n });
  expect(reserved.transfer).toMatchObject({ id: '~a:1', state: 'pending' });
  const spent = { ...money, id: 't2', source: 'alice', destination: 'bob', amount: 41n };
  expect((await ledger.transfer(spent)).outcome).toBe('insufficient_funds');
  expect(await ledger.post({ id: 'p1', pendingId: '~a:1', amount: 50n })).toMatchObject({ outcome: 'created' });
  expect((await ledger.void({ id: 'v1', pendingId: '~a:1' })).outcome).toBe('pending_already_posted');
  expect(await ledger.transfer(spent)).toMatchObject({ outcome: 'insufficient_funds', replayed: true });
  const chain = await ledger.batch(
    [
      { ...spent, kind: 'transfer', id: 't3' },
      { ...spent, kind: 'transfer', id: 't4' },
    ],
    { linked: true },
  );
  expect(chain.map(({ outcome }) => outcome)).toEqual(['linked_failed', 'insufficient_funds']);
  expect(await ledger.wallet('alice')).toMatchObject({ creditsPosted: 100n, debitsPosted: 50n, debitsPending: 0n });
  expect(await ledger.findTransfer('~a:1')).toMatchObject({ state: 'posted' });
  expect(await ledger.audit()).toMatchObject({ ok: true, faults: [], wallets: 3, records: 10 });
  expect(await ledger.head()).toBe(10);
  await ledger.close();
});

test.each([
  ['ann', 'a c'],
  ['ANN smi', 'a'],
  ['vip ann', 'c'],
  ['mith', ''],
  ['élo', 'd'],
  ['a-b', 'c d'],
  ['last', 'last'],
])('wallets are found by the words %j: %s', async (words, ids) => {
  const ledger = await openLedger(memoryLedger, { currency: 'ADA' });
  const wallets = { a: ['Ann-Marie Smith'], b: ['Joanne'], c: ['Bo', 'VIP', 'of Ann'], d: ['E\u0301lodie', 'a', 'b'] };
  for (const [id, [owner = '', ...tags]] of Object.entries(wallets))
    await ledger.createWallet({ id, owner, tags, currency: 'ADA' });
  const many = Array.from({ length: 1_000 }, (_, i) => ({ id: `w${i}`, owner: 'x', currency: 'ADA' }));
  for (const spec of [...many, { id: 'last', owner: 'x', currency: 'ADA' }]) await ledger.createWallet(spec);
  const found: string[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page = await ledger.wallets({ words, after, limit: 1 });
    found.push(...page.items.map(({ id }) => id));
    after = page.next;
  }
  expect(found.join(' ')).toBe(ids);
  await expect(ledger.wallets({ words: '-' })).rejects.toMatchObject({ field: 'words' });
  await ledger.close();
});
