import assert from 'node:assert/strict';
import type { Ledger, WalletSearch } from 'mempool-ledger';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnLedger } from '../../case/must.ts';
import { coin, created, fund, move, newWallets } from '../../scenario/ledger.ts';

/** Wallets of two owners with tags that are easily mixed up. */
async function filled(ledger: Ledger): Promise<void> {
  const wallets = {
    a: ['ann', 'red', 'big'],
    b: ['bob', 'red'],
    c: ['ann', 'big', 'Red'],
    d: ['ann', 'red', 'big', 'new'],
    e: ['Ann'],
  } as const;
  for (const [id, [owner, ...tags]] of Object.entries(wallets))
    await ledger.createWallet({ id, owner, tags, currency: coin });
}

async function found(ledger: Ledger, search: WalletSearch): Promise<string> {
  return (await ledger.wallets(search)).items.map(({ id }) => id).join(' ');
}

const searching = eachOnLedger({
  'W6/owner: by owner, exactly': async (ledger) => {
    await filled(ledger);
    assert.equal(await found(ledger, { owner: 'ann' }), 'a c d');
    assert.equal(await found(ledger, { owner: 'Ann' }), 'e');
    assert.equal(await found(ledger, { owner: 'an' }), '');
    assert.equal(await found(ledger, { owner: 'nobody' }), '');
  },
  'W6/all-tags: wallets that have all tags; case as given': async (ledger) => {
    await filled(ledger);
    assert.equal(await found(ledger, { tags: ['red'] }), 'a b d');
    assert.equal(await found(ledger, { tags: ['red', 'big'] }), 'a d');
    assert.equal(await found(ledger, { tags: ['Red'], match: 'all' }), 'c');
    assert.equal(await found(ledger, { tags: ['red', 'none'] }), '');
    assert.equal(await found(ledger, { tags: ['re'] }), '');
  },
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
  'J3/moves: a wallet’s history has what left, entered or was reserved, in order, and no refusals': async (ledger) => {
    await fund(ledger, { a: 10n, b: 0n, c: 5n });
    await created(ledger.transfer(move('t1', 'a', 'b', 1n)));
    await ledger.transfer(move('refused', 'a', 'b', 100n));
    await created(ledger.transfer(move('elsewhere', 'c', 'vault', 1n)));
    await created(ledger.reserve(move('r1', 'b', 'a', 1n)));
    await created(ledger.reserve(move('r2', 'a', 'c', 2n)));
    await created(ledger.void({ id: 'v', pendingId: 'r1' }));
    await created(ledger.post({ id: 'p', pendingId: 'r2', amount: 1n }));
    const { items, next } = await ledger.transfers({ wallet: 'a' });
    assert.deepEqual([items.map(({ id }) => id), next], [['fund a', 't1', 'r1', 'r2', 'v', 'p'], null]);
    assert.deepEqual(
      items.map(({ state }) => state),
      ['posted', 'posted', 'voided', 'posted', 'voided', 'posted'],
    );
    for (const one of items) assert.deepEqual(await ledger.findTransfer(one.id), one);
    assert.deepEqual(
      (await ledger.transfers({ wallet: 'c' })).items.map(({ id }) => id),
      ['fund c', 'elsewhere', 'r2', 'p'],
    );
  },
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
  'J3/unknown: an unknown wallet has no history, an unknown id no transfer': async (ledger) => {
    assert.deepEqual(await ledger.transfers({ wallet: 'nobody' }), { items: [], next: null });
    assert.equal(await ledger.findTransfer('nothing'), null);
  },
});

export const searchingCases: readonly ConformanceCase[] = searching;
export const walletHistoryCases: readonly ConformanceCase[] = histories;
