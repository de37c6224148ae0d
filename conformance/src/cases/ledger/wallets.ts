import assert from 'node:assert/strict';
import { isLedgerError } from 'mempool-ledger';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnLedger } from '../../case/must.ts';
import { allRecords, coin, created, fund, move, newWallets, totals, whole } from '../../scenario/ledger.ts';

const spec = { id: 'w', owner: 'ann', tags: ['b', 'a'], currency: coin } as const;

const creating = eachOnLedger({
  'W1/again: to create the same wallet again is answered with the wallet as it is, and changes nothing': async (
    ledger,
  ) => {
    await ledger.createWallet(spec);
    await created(ledger.transfer(move('t', '~vault', 'w', 5n)));
    const before = await whole(ledger);
    const { outcome, wallet, replayed } = await ledger.createWallet({ ...spec, tags: ['a', 'b', 'a'] });
    assert.deepEqual([outcome, replayed, wallet?.creditsPosted], ['created', true, 5n]);
    assert.deepEqual(await whole(ledger), before);
  },
});

const telling = eachOnLedger({
  'W2/totals: both sides of a transfer count it': async (ledger) => {
    await fund(ledger, { a: 10n, b: 0n });
    await created(ledger.transfer(move('t', 'a', 'b', 4n)));
    assert.deepEqual(
      [await totals(ledger, 'a'), await totals(ledger, 'b')],
      [
        [10n, 4n, 0n, 0n],
        [4n, 0n, 0n, 0n],
      ],
    );
    assert.deepEqual(await totals(ledger, '~vault'), [0n, 10n, 0n, 0n]);
  },
});

const vault = eachOnLedger({
  'W3/vault: a new ledger has one wallet, the vault of the system with overdraft, as its first record': async (
    ledger,
  ) => {
    const { items } = await ledger.wallets();
    assert.deepEqual(
      items.map(({ id, owner, currency, overdraft, createdSeq }) => [id, owner, currency, overdraft, createdSeq]),
      [['~vault', 'system', coin, true, 1]],
    );
    assert.equal((await allRecords(ledger)).length, 1);
  },
});

const tagging = eachOnLedger({
  'W4/replaced: tags are replaced, sorted, each once': async (ledger) => {
    await ledger.createWallet(spec);
    const { outcome, wallet } = await ledger.setTags('w', ['z', 'a', 'z', 'Z']);
    assert.deepEqual([outcome, wallet?.tags], ['set', ['Z', 'a', 'z']]);
    assert.deepEqual(await ledger.wallet('w'), wallet);
    assert.deepEqual((await ledger.setTags('w', [])).wallet?.tags, []);
  },
});

const closing = eachOnLedger({
  'W5/closed: an empty wallet is closed; to close it again changes nothing': async (ledger) => {
    await newWallets(ledger, 'a');
    const { outcome, wallet } = await ledger.closeWallet('a');
    assert.deepEqual([outcome, wallet?.closed], ['closed', true]);
    const before = await whole(ledger);
    assert.deepEqual(await ledger.closeWallet('a'), { outcome, wallet });
    assert.deepEqual(await whole(ledger), before);
  },
  'W5/owing: a wallet with overdraft that owes stays open': async (ledger) => {
    await fund(ledger, { a: 0n });
    await ledger.createWallet({ id: 'owing', owner: 'o', currency: coin, overdraft: true });
    await created(ledger.transfer(move('t', 'owing', 'a', 5n)));
    assert.equal((await ledger.closeWallet('owing')).outcome, 'wallet_not_empty');
  },
  'W8/system: nobody creates or closes a wallet of the system': async (ledger) => {
    const before = await whole(ledger);
    for (const id of ['~vault', '~debt.COIN', '~', '~a']) {
      assert.equal((await ledger.createWallet({ id, owner: 'o', currency: coin })).outcome, 'invalid_id');
      await assert.rejects(ledger.closeWallet(id), (error) => isLedgerError(error, 'ERR_LEDGER_ARGUMENT'));
    }
    assert.deepEqual(await whole(ledger), before);
  },
});

export const walletCases: readonly ConformanceCase[] = [...creating, ...telling, ...vault, ...tagging, ...closing];
