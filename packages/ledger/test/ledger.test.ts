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

test('other work runs between the pages of an audit', async () => {
  const ledger = await openLedger(memoryLedger, { currency: 'ADA' });
  for (let n = 0; n < 3_000; n += 1) await ledger.createWallet({ id: `w${n}`, owner: 'x', currency: 'ADA' });
  let turns = 0;
  let more = true;
  const other = () => {
    turns += 1;
    if (more) setImmediate(other);
  };
  setImmediate(other);
  expect(await ledger.audit()).toMatchObject({ ok: true, records: 3_001 });
  more = false;
  // Three full pages of wallets, and as many of records.
  expect(turns).toBeGreaterThanOrEqual(6);
  await ledger.close();
});

test('an audit beside a process that always trims ends, and says so', async () => {
  const clock = { now: Date.now() };
  const trimming = {
    ...memoryLedger,
    async open(options: Parameters<typeof memoryLedger.open>[0]) {
      const store = await memoryLedger.open(options);
      const openings = store.openings.bind(store);
      return Object.assign(store, {
        async openings(after: string, limit: number) {
          const page = await openings(after, limit);
          if (after === '') await store.trim(1);
          return page;
        },
      });
    },
  };
  const ledger = await openLedger(trimming, { currency: 'ADA', retentionMs: 1_000, now: () => clock.now });
  for (let n = 0; n < 100; n += 1) await ledger.createWallet({ id: `w${n}`, owner: 'x', currency: 'ADA' });
  clock.now += 86_400_000;
  const { ok, faults } = await ledger.audit();
  expect(ok).toBe(false);
  expect(faults[0]).toMatchObject({ kind: 'trimmed' });
  await ledger.close();
});
