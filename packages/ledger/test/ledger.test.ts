import { expect, test } from 'vitest';
import { memoryLedger, openLedger } from '../src/index.ts';

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
