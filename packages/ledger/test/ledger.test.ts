import { expect, test } from 'vitest';
import { memoryLedger, openLedger } from '../src/index.ts';

test('of several callers that saw the same end of a series, one makes the next reservation', async () => {
  const ledger = await openLedger(memoryLedger, { currency: 'ADA' });
  await ledger.createWallet({ id: 'alice', owner: 'alice', currency: 'ADA' });
  const call = { source: '~vault', destination: 'alice', amount: 5n, currency: 'ADA', series: 's' };
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
