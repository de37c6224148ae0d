import assert from 'node:assert/strict';
import { isLedgerError, type Ledger, type TransferAnswer } from 'mempool-ledger';
import type { ConformanceCase } from '../../case/case.ts';
import { eachLedger, eachOf, eachOnLedger, mustLedger } from '../../case/must.ts';
import { untilTrue } from '../../scenario/lease.ts';
import {
  allRecords,
  audited,
  created,
  fund,
  move,
  newWallets,
  outcomeOf,
  totals,
  walletOf,
  whole,
} from '../../scenario/ledger.ts';

function tally(answers: readonly TransferAnswer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of answers) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** 500 debits of 1 at once, of 100. */
async function storm(handles: readonly Ledger[]): Promise<void> {
  const [ledger] = handles;
  assert.ok(ledger !== undefined);
  await fund(ledger, { a: 100n, b: 0n });
  const at = (i: number): Ledger => handles[i % handles.length] ?? ledger;
  const calls = Array.from({ length: 500 }, (_, i) => at(i).transfer(move(`t${i}`, 'a', 'b', 1n)));
  assert.deepEqual(tally(await Promise.all(calls)), { created: 100, insufficient_funds: 400 });
  assert.deepEqual(
    [await totals(ledger, 'a'), await totals(ledger, 'b')],
    [
      [100n, 100n, 0n, 0n],
      [100n, 0n, 0n, 0n],
    ],
  );
  assert.equal((await allRecords(ledger)).length, 504);
  await audited(ledger);
}

const atOnce = eachOnLedger({
  'C1/debits: of 500 debits of 1 at once, 100 are carried out if there are 100': (ledger) => storm([ledger]),
  'C1/wallets: one wallet created many times at once is created once': async (ledger) => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => ledger.createWallet({ ...walletOf('w'), owner: `o${i % 2}` })),
    );
    assert.equal(answers.filter(({ replayed, outcome }) => outcome === 'created' && !replayed).length, 1);
    assert.equal(answers.filter(({ outcome }) => outcome === 'wallet_exists').length, 10);
    assert.equal((await allRecords(ledger)).length, 2);
  },
});

const shared = eachOf((id: string, title: string, run: ConformanceCase['run']) =>
  mustLedger(id, title, run, ['shared']),
);
const durable = eachOf((id: string, title: string, run: ConformanceCase['run']) =>
  mustLedger(id, title, run, ['durable']),
);

const together = shared({
  'C3/debits: also over several handles': async ({ ledger: open }) =>
    storm([await open(), await open(), await open(), await open()]),
  'C3/seen: what one handle was answered, the other sees, and repeats': async ({ ledger: open }) => {
    const [one, other] = [await open(), await open()];
    await fund(one, { a: 10n, b: 0n });
    const first = await other.transfer(move('t', 'a', 'b', 4n));
    assert.deepEqual(await one.transfer(move('t', 'a', 'b', 4n)), { ...first, replayed: true });
    assert.deepEqual(await whole(one), await whole(other));
  },
  'C3/stream: a reader gets what other handles write': async ({ ledger: open }) => {
    const [one, other] = [await open(), await open()];
    const head = await one.head();
    const stream = one.subscribe({ after: head })[Symbol.asyncIterator]();
    const next = stream.next();
    await newWallets(other, 'a');
    assert.deepEqual((await next).value, (await allRecords(other))[head]);
  },
  'C3/vault: opened many times at once, a ledger has one vault': async ({ ledger: open }) => {
    const handles = await Promise.all([1, 2, 3, 4].map(() => open()));
    for (const handle of handles) assert.equal((await allRecords(handle)).length, 1);
  },
  'C3/closing: closing one handle does not close the others': async ({ ledger: open }) => {
    const [one, other] = [await open(), await open()];
    await one.close();
    await newWallets(other, 'a');
  },
});

const anew = durable({
  'C4/whole: opened anew, a ledger is as it was, and goes on': async ({ ledger: open }) => {
    const first = await open({ maxRefusals: 1 });
    await fund(first, { a: 2n ** 60n, b: 0n, '😀 "q"': 1n });
    await first.setTags('a', ['x', '😀']);
    const call = move('r', 'a', 'b', 2n ** 53n + 1n);
    await created(first.reserve(call));
    await created(first.reserve({ ...move('timed', 'a', 'b', 1n), timeoutMs: 1 }));
    await first.closeWallet('b');
    const refused = await first.transfer(move('no', 'b', 'a', 1n, { metadata: { k: 'v' } }));
    const before = await whole(first);
    await first.close();
    const again = await open({ maxRefusals: 1 });
    assert.deepEqual(await whole(again), before);
    assert.deepEqual(await again.transfer(move('no', 'b', 'a', 1n, { metadata: { k: 'v' } })), {
      ...refused,
      replayed: true,
    });
    assert.equal(await outcomeOf(again.transfer(move('no2', 'b', 'a', 1n))), 'too_many_refusals');
    assert.equal((await again.reserve(call)).replayed, true);
    assert.deepEqual(
      (await again.wallets({ tags: ['😀'] })).items.map(({ id }) => id),
      ['a'],
    );
    await created(again.post({ id: 'p', pendingId: 'r' }));
    await untilTrue('the reservation is due', async () => (await again.sweep()).count > 0);
    assert.equal((await again.findTransfer('timed'))?.state, 'expired');
    await audited(again);
  },
  'C4/stream: a reader goes on after the number that it has': async ({ ledger: open }) => {
    const first = await open();
    await newWallets(first, 'a', 'b');
    const records = await allRecords(first);
    await first.close();
    const { value } = await (await open()).subscribe({ after: 2 })[Symbol.asyncIterator]().next();
    assert.deepEqual(value, records[2]);
  },
});

const apart = eachLedger({
  'C2/apart: ledgers of two names share nothing': async (context) => {
    const name = context.newPool();
    const ledgers = [
      await context.ledger({ name }),
      await context.ledger({ name: `${name.slice(0, -1)}_` }),
      await context.ledger(),
    ];
    for (const [i, ledger] of ledgers.entries()) {
      await fund(ledger, { a: BigInt(i + 1) });
      await created(ledger.reserve({ ...move('r', 'a', '~vault', 1n) }));
    }
    for (const [i, ledger] of ledgers.entries()) {
      assert.deepEqual(await totals(ledger, 'a'), [BigInt(i + 1), 0n, 0n, 1n]);
      assert.equal((await allRecords(ledger)).length, 4);
    }
  },
  'C2/name: a ledger tells its name': async (context) => {
    const name = context.newPool();
    assert.equal((await context.ledger({ name })).name, name);
  },
});

const closing = eachOnLedger({
  'C5/refused: a closed ledger refuses every verb; to close it again changes nothing': async (ledger) => {
    await newWallets(ledger, 'a');
    await ledger.close();
    await ledger.close();
    const calls = [
      () => ledger.createWallet(walletOf('b')),
      () => ledger.wallet('a'),
      () => ledger.wallets(),
      () => ledger.setTags('a', []),
      () => ledger.closeWallet('a'),
      () => ledger.transfer(move('t', '~vault', 'a', 1n)),
      () => ledger.reserve(move('t', '~vault', 'a', 1n)),
      () => ledger.post({ id: 'p', pendingId: 'r' }),
      () => ledger.void({ id: 'v', pendingId: 'r' }),
      () => ledger.batch([{ ...move('t', '~vault', 'a', 1n), kind: 'transfer' }]),
      () => ledger.findTransfer('t'),
      () => ledger.transfers({ wallet: 'a' }),
      () => ledger.sweep(),
      () => ledger.trim(),
      () => ledger.audit(),
      () => ledger.records(0),
      () => ledger.head(),
    ];
    for (const call of calls) await assert.rejects(call(), (error) => isLedgerError(error, 'ERR_LEDGER_CLOSED'));
  },
  'C5/under-way: calls that were made before the close are answered': async (ledger) => {
    await fund(ledger, { a: 10n, b: 0n });
    const calls = Array.from({ length: 10 }, (_, i) => ledger.transfer(move(`t${i}`, 'a', 'b', 1n)));
    const tagged = ledger.setTags('a', ['x']);
    await ledger.close();
    assert.deepEqual(tally(await Promise.all(calls)), { created: 10 });
    assert.equal((await tagged).outcome, 'set');
  },
});

export const handleCases: readonly ConformanceCase[] = [...atOnce, ...apart, ...together, ...anew, ...closing];
