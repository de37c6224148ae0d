import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnLedger } from '../../case/must.ts';
import { coin, created, fund, move, newWallets } from '../../scenario/ledger.ts';

const searching = eachOnLedger({
  'W6/pages: pages of any size give each wallet once, also while new ones come and others move money': async (
    ledger,
  ) => {
    await fund(ledger, { w0: 100n });
    const ids = Array.from({ length: 12 }, (_, i) => `w${i + 1}`);
    for (const id of ids) await ledger.createWallet({ id, owner: 'o', tags: ['t'], currency: coin });
    for (const limit of [1, 5, 6, 12, 13]) {
      const seen: string[] = [];
      for (let after: number | undefined = 0; after !== undefined; ) {
        const { items, next } = await ledger.wallets({ owner: 'o', tags: ['t'], after, limit });
        assert.ok(items.length <= limit);
        seen.push(...items.map(({ id }) => id));
        assert.ok(seen.length <= ids.length, `more than there is: ${seen.join(' ')}`);
        await ledger.transfer(move(`${limit}-${seen.length}`, 'w0', 'w1', 1n));
        after = next ?? undefined;
      }
      assert.deepEqual([limit, ...seen], [limit, ...ids]);
    }
  },
  'W6/default-page: a page has at most 100 wallets if nothing else is asked for': async (ledger) => {
    await Promise.all(Array.from({ length: 101 }, (_, i) => newWallets(ledger, `w${i}`)));
    const { items, next } = await ledger.wallets();
    assert.equal(items.length, 100);
    assert.equal((await ledger.wallets({ after: next ?? 0 })).items.length, 2);
  },
});

const histories = eachOnLedger({
  'J3/pages: pages of any size give each transfer once': async (ledger) => {
    await fund(ledger, { a: 100n, b: 0n });
    const ids = Array.from({ length: 12 }, (_, i) => `t${i}`);
    for (const id of ids) await created(ledger.transfer(move(id, 'a', 'b', 1n)));
    for (const limit of [1, 5, 6, 12, 13]) {
      const seen: string[] = [];
      for (let after: number | undefined = 0; after !== undefined; ) {
        const { items, next } = await ledger.transfers({ wallet: 'b', after, limit });
        assert.ok(items.length <= limit);
        seen.push(...items.map(({ id }) => id));
        assert.ok(seen.length <= ids.length, `more than there is: ${seen.join(' ')}`);
        after = next ?? undefined;
      }
      assert.deepEqual([limit, ...seen], [limit, ...ids]);
    }
  },
});

export const searchingCases: readonly ConformanceCase[] = searching;
export const walletHistoryCases: readonly ConformanceCase[] = histories;
