import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnLedger } from '../../case/must.ts';
import {
  allRecords,
  coin,
  created,
  fund,
  move,
  newWallets,
  totals,
  walletNamed,
  walletOf,
  whole,
} from '../../scenario/ledger.ts';

const spec = { id: 'w', owner: 'ann', tags: ['b', 'a'], currency: coin } as const;

const creating = eachOnLedger({
  'W1/created: a new wallet is created, empty and open': async (ledger) => {
    const { outcome, wallet, replayed } = await ledger.createWallet(spec);
    assert.deepEqual([outcome, replayed], ['created', false]);
    const { createdAt, createdSeq, version, ...rest } = wallet ?? assert.fail('no wallet');
    assert.deepEqual(rest, {
      ...{ id: 'w', owner: 'ann', tags: ['a', 'b'], currency: coin, overdraft: false, signer: null, closed: false },
      ...{ debitsPosted: 0n, creditsPosted: 0n, debitsPending: 0n, creditsPending: 0n },
    });
    assert.deepEqual([createdSeq, version], [2, 2]);
    assert.deepEqual(await ledger.wallet('w'), wallet);
  },
  'W1/again: to create the same wallet again is answered with the wallet as it is, and changes nothing': async (
    ledger,
  ) => {
    await ledger.createWallet(spec);
    await created(ledger.transfer(move('t', 'vault', 'w', 5n)));
    const before = await whole(ledger);
    const { outcome, wallet, replayed } = await ledger.createWallet({ ...spec, tags: ['a', 'b', 'a'] });
    assert.deepEqual([outcome, replayed, wallet?.creditsPosted], ['created', true, 5n]);
    assert.deepEqual(await whole(ledger), before);
  },
  'W1/again-after-tags: it is compared with what the wallet was created with, not with its later tags': async (
    ledger,
  ) => {
    await ledger.createWallet(spec);
    await ledger.setTags('w', ['c']);
    const again = await ledger.createWallet(spec);
    assert.deepEqual([again.outcome, again.wallet?.tags], ['created', ['c']]);
    assert.equal((await ledger.createWallet({ ...spec, tags: ['c'] })).outcome, 'wallet_exists');
  },
  'W1/otherwise: an id that another wallet has is refused, and that wallet stays as it is': async (ledger) => {
    await ledger.createWallet(spec);
    await created(ledger.transfer(move('t', 'vault', 'w', 5n)));
    const before = await whole(ledger);
    for (const other of [{ owner: 'bob' }, { tags: ['a'] }, { currency: 'OTHER' }, { overdraft: true }]) {
      const { outcome, wallet, replayed } = await ledger.createWallet({ ...spec, ...other });
      assert.deepEqual([outcome, wallet?.owner, replayed], ['wallet_exists', 'ann', false]);
    }
    assert.deepEqual(await whole(ledger), before);
  },
});

const telling = eachOnLedger({
  'W2/none: a wallet that was not created is not there': async (ledger) => {
    assert.equal(await ledger.wallet('nobody'), null);
  },
  'W2/version: every change gives a wallet the number of its record as version, and nothing else does': async (
    ledger,
  ) => {
    await fund(ledger, { a: 10n, b: 0n, c: 0n });
    const at = (await walletNamed(ledger, 'c')).version;
    const { seq } = await created(ledger.transfer(move('t', 'a', 'b', 4n)));
    const versions = await Promise.all(['a', 'b', 'c'].map(async (id) => (await walletNamed(ledger, id)).version));
    assert.deepEqual(versions, [seq, seq, at]);
    await ledger.transfer(move('refused', 'a', 'b', 40n));
    assert.equal((await walletNamed(ledger, 'a')).version, seq);
  },
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
    assert.deepEqual(await totals(ledger, 'vault'), [0n, 10n, 0n, 0n]);
  },
});

const vault = eachOnLedger({
  'W3/vault: a new ledger has one wallet, the vault of the system with overdraft, as its first record': async (
    ledger,
  ) => {
    const { items } = await ledger.wallets();
    assert.deepEqual(
      items.map(({ id, owner, currency, overdraft, createdSeq }) => [id, owner, currency, overdraft, createdSeq]),
      [['vault', 'system', coin, true, 1]],
    );
    assert.equal((await allRecords(ledger)).length, 1);
  },
  'W3/overdraft: a wallet with overdraft gives more than it has; the sum over all wallets stays 0': async (ledger) => {
    await fund(ledger, { a: 7n });
    await ledger.createWallet({ ...walletOf('debt'), overdraft: true });
    await created(ledger.transfer(move('t', 'debt', 'a', 3n)));
    const { items } = await ledger.wallets();
    assert.equal(
      items.reduce((sum, one) => sum + one.creditsPosted - one.debitsPosted, 0n),
      0n,
    );
    assert.deepEqual(await totals(ledger, 'debt'), [0n, 3n, 0n, 0n]);
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
  'W4/same: tags that the wallet has already make no record': async (ledger) => {
    await ledger.createWallet(spec);
    const before = await whole(ledger);
    assert.equal((await ledger.setTags('w', ['b', 'a'])).outcome, 'set');
    assert.deepEqual(await whole(ledger), before);
  },
  'W4/unknown: an unknown wallet gets none': async (ledger) => {
    assert.deepEqual(await ledger.setTags('nobody', ['a']), { outcome: 'wallet_not_found', wallet: null });
  },
  'W4/closed: a closed wallet keeps its tags': async (ledger) => {
    await ledger.createWallet(spec);
    await ledger.closeWallet('w');
    const { outcome, wallet } = await ledger.setTags('w', ['c']);
    assert.deepEqual([outcome, wallet?.tags], ['wallet_closed', ['a', 'b']]);
    assert.deepEqual((await walletNamed(ledger, 'w')).tags, ['a', 'b']);
  },
  'W4/record: a change of tags is a record, and so is closing': async (ledger) => {
    await ledger.createWallet(spec);
    await ledger.setTags('w', ['c']);
    await ledger.closeWallet('w');
    const [, , tags, close] = await allRecords(ledger);
    assert.ok(tags?.type === 'tags' && close?.type === 'close');
    assert.deepEqual([tags.walletId, tags.tags, close.walletId], ['w', ['c'], 'w']);
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
  'W5/unknown: an unknown wallet is not closed': async (ledger) => {
    assert.deepEqual(await ledger.closeWallet('nobody'), { outcome: 'wallet_not_found', wallet: null });
  },
  'W5/holding: a wallet that holds something stays open; emptied, it is closed': async (ledger) => {
    await fund(ledger, { a: 1n });
    const { outcome, wallet } = await ledger.closeWallet('a');
    assert.deepEqual([outcome, wallet?.closed], ['wallet_not_empty', false]);
    await created(ledger.transfer(move('t', 'a', 'vault', 1n)));
    assert.equal((await ledger.closeWallet('a')).outcome, 'closed');
  },
  'W5/reserved: a wallet from which something is reserved stays open, whatever its balance': async (ledger) => {
    await newWallets(ledger, 'b');
    await ledger.createWallet({ ...walletOf('debt'), overdraft: true });
    await created(ledger.reserve(move('r', 'debt', 'b', 5n)));
    assert.equal((await ledger.closeWallet('debt')).outcome, 'wallet_not_empty');
  },
  'W5/owing: a wallet with overdraft that owes stays open': async (ledger) => {
    await fund(ledger, { a: 5n });
    assert.equal((await ledger.closeWallet('vault')).outcome, 'wallet_not_empty');
  },
});

export const walletCases: readonly ConformanceCase[] = [...creating, ...telling, ...vault, ...tagging, ...closing];
