import assert from 'node:assert/strict';
import { isLedgerError, type Ledger, type TransferCall } from 'mempool-ledger';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnLedger } from '../../case/must.ts';
import { allRecords, audited, created, fund, move, outcomeOf, totals, whole } from '../../scenario/ledger.ts';

function pay(...args: Parameters<typeof move>): TransferCall {
  return { ...move(...args), kind: 'transfer' };
}

function hold(...args: Parameters<typeof move>): TransferCall {
  return { ...move(...args), kind: 'reserve' };
}

async function outcomes(ledger: Ledger, calls: readonly TransferCall[], linked = false): Promise<string[]> {
  return (await ledger.batch(calls, { linked })).map(({ outcome }) => outcome);
}

const alone = eachOnLedger({
  'B1/alone: each call is judged alone, after those before it': async (ledger) => {
    await fund(ledger, { a: 5n, b: 0n });
    const calls: TransferCall[] = [
      pay('1', 'a', 'b', 4n),
      pay('2', 'a', 'b', 2n),
      pay('3', 'b', 'a', 4n),
      hold('4', 'a', 'b', 5n),
      { kind: 'post', id: '5', pendingId: '4', amount: 3n },
      { kind: 'void', id: '6', pendingId: '4' },
      pay('', 'a', 'b', 1n),
      pay('7', 'a', 'b', 0n),
      pay('1', 'a', 'b', 4n),
      pay('1', 'a', 'b', 3n),
    ];
    assert.deepEqual(await outcomes(ledger, calls), [
      ...['created', 'insufficient_funds', 'created', 'created', 'created', 'pending_already_posted'],
      ...['invalid_id', 'invalid_amount', 'created', 'id_conflict'],
    ]);
    assert.deepEqual(
      [await totals(ledger, 'a'), await totals(ledger, 'b')],
      [
        [9n, 7n, 0n, 0n],
        [7n, 4n, 0n, 0n],
      ],
    );
  },
  'B1/answers: the answers have the order of the calls, and their records too': async (ledger) => {
    await fund(ledger, { a: 50n, b: 0n });
    const ids = Array.from({ length: 60 }, (_, i) => `t${(i * 37) % 60}`);
    const answers = await ledger.batch(ids.map((id) => pay(id, 'a', 'b', 1n)));
    assert.deepEqual(
      answers.map(({ transfer }) => transfer?.id),
      ids,
    );
    const records = (await allRecords(ledger)).flatMap((one) => (one.type === 'transfer' ? [one.transfer.id] : []));
    assert.deepEqual(records.slice(1), ids);
    assert.equal(answers.filter(({ outcome }) => outcome === 'created').length, 50);
  },
  'B1/one-id: one id several times in a batch has one effect': async (ledger) => {
    await fund(ledger, { a: 50n, b: 0n });
    const answers = await ledger.batch(Array.from({ length: 20 }, () => pay('t', 'a', 'b', 1n)));
    assert.deepEqual(
      answers.map(({ replayed }) => replayed),
      [false, ...Array.from({ length: 19 }, () => true)],
    );
    assert.deepEqual(new Set(answers.map(({ transfer }) => transfer?.digest)).size, 1);
    assert.deepEqual(await totals(ledger, 'b'), [1n, 0n, 0n, 0n]);
  },
  'B1/empty: an empty batch changes nothing': async (ledger) => {
    assert.deepEqual([await ledger.batch([]), await ledger.batch([], { linked: true })], [[], []]);
    assert.equal((await allRecords(ledger)).length, 1);
  },
  'B4/most: a batch takes 1,000 calls, and not 1,001': async (ledger) => {
    await fund(ledger, { a: 1_000n, b: 0n });
    const calls = Array.from({ length: 1_001 }, (_, i) => pay(`t${i}`, 'a', 'b', 1n));
    await assert.rejects(
      ledger.batch(calls),
      (error) => isLedgerError(error, 'ERR_LEDGER_ARGUMENT') && error.field === 'calls',
    );
    assert.deepEqual(new Set(await outcomes(ledger, calls.slice(1))), new Set(['created']));
    assert.deepEqual(await totals(ledger, 'b'), [1_000n, 0n, 0n, 0n]);
  },
});

const linked = eachOnLedger({
  'B2/whole: a linked chain is carried out whole; each link sees those before it': async (ledger) => {
    await fund(ledger, { a: 5n, b: 0n, c: 0n });
    const calls: TransferCall[] = [
      pay('1', 'a', 'b', 5n),
      hold('2', 'b', 'c', 5n),
      { kind: 'post', id: '3', pendingId: '2' },
      pay('4', 'c', 'a', 5n),
    ];
    assert.deepEqual(await outcomes(ledger, calls, true), ['created', 'created', 'created', 'created']);
    assert.deepEqual(await totals(ledger, 'a'), [10n, 5n, 0n, 0n]);
    await audited(ledger);
  },
  'B2/last-link: if the last link is refused, none is carried out, and each has its record': async (ledger) => {
    await fund(ledger, { a: 5n, b: 0n, c: 0n });
    await created(ledger.reserve(move('r', 'a', 'b', 1n)));
    const wallets = await ledger.wallets();
    const before = await allRecords(ledger);
    const calls: TransferCall[] = [
      pay('1', 'a', 'b', 2n),
      { kind: 'post', id: '2', pendingId: 'r' },
      hold('3', 'b', 'c', 1n),
      { kind: 'void', id: '4', pendingId: '3' },
      pay('5', 'c', 'a', 5n),
    ];
    const expected = ['linked_failed', 'linked_failed', 'linked_failed', 'linked_failed', 'insufficient_funds'];
    assert.deepEqual(await outcomes(ledger, calls, true), expected);
    assert.deepEqual(await ledger.wallets(), wallets);
    const added = (await allRecords(ledger)).slice(before.length);
    assert.deepEqual(
      added.map((one) => (one.type === 'transfer' ? [one.transfer.id, one.transfer.outcome, one.transfer.state] : [])),
      expected.map((outcome, i) => [`${i + 1}`, outcome, 'refused']),
    );
    assert.equal((await ledger.findTransfer('r'))?.state, 'pending');
    await created(ledger.post({ id: 'p', pendingId: 'r' }));
    await audited(ledger);
  },
  'B2/middle-link: the link that breaks a rule says which, those before and after it that it failed': async (
    ledger,
  ) => {
    await fund(ledger, { a: 5n, b: 0n });
    const calls = [pay('1', 'a', 'b', 1n), pay('2', 'a', 'no', 1n), pay('3', 'b', 'a', 1n)];
    const expected = ['linked_failed', 'destination_wallet_not_found', 'linked_failed'];
    assert.deepEqual(await outcomes(ledger, calls, true), expected);
    assert.deepEqual(await totals(ledger, 'a'), [5n, 0n, 0n, 0n]);
    // Refusals stick, those of a chain too.
    assert.equal(await outcomeOf(ledger.transfer(move('1', 'a', 'b', 1n))), 'linked_failed');
  },
  'B2/malformed: with a malformed link nothing is carried out and nothing recorded': async (ledger) => {
    await fund(ledger, { a: 5n, b: 0n });
    const before = await whole(ledger);
    const calls = [pay('1', 'a', 'b', 1n), pay('2', 'a', 'b', 0n), pay('', 'a', 'b', 1n)];
    assert.deepEqual(await outcomes(ledger, calls, true), ['linked_failed', 'invalid_amount', 'invalid_id']);
    assert.deepEqual(await whole(ledger), before);
    await created(ledger.transfer(move('1', 'a', 'b', 1n)));
  },
  'B2/conflict: an id that another content has fails the chain, and keeps its record': async (ledger) => {
    await fund(ledger, { a: 5n, b: 0n });
    await created(ledger.transfer(move('t', 'a', 'b', 1n)));
    const calls = [pay('1', 'a', 'b', 1n), pay('t', 'a', 'b', 2n)];
    assert.deepEqual(await outcomes(ledger, calls, true), ['linked_failed', 'id_conflict']);
    assert.deepEqual([await totals(ledger, 'b'), (await ledger.findTransfer('t'))?.amount], [[1n, 0n, 0n, 0n], 1n]);
  },
});

const again = eachOnLedger({
  'B3/repeated: a chain again has no second effect and gets the same records': async (ledger) => {
    await fund(ledger, { a: 5n, b: 0n });
    for (const calls of [
      [pay('1', 'a', 'b', 2n), pay('2', 'b', 'a', 1n)],
      [pay('3', 'a', 'b', 2n), pay('4', 'b', 'a', 99n)],
    ]) {
      const first = await ledger.batch(calls, { linked: true });
      const before = await whole(ledger);
      const second = await ledger.batch(calls, { linked: true });
      assert.deepEqual(
        second,
        first.map((answer) => ({ ...answer, replayed: true })),
      );
      assert.deepEqual(await whole(ledger), before);
    }
  },
  'B3/done-link: a link that was carried out earlier counts as done': async (ledger) => {
    await fund(ledger, { a: 5n, b: 0n });
    await created(ledger.transfer(move('1', 'a', 'b', 2n)));
    const answers = await ledger.batch([pay('1', 'a', 'b', 2n), pay('2', 'b', 'a', 1n)], { linked: true });
    assert.deepEqual(
      answers.map(({ outcome, replayed }) => [outcome, replayed]),
      [
        ['created', true],
        ['created', false],
      ],
    );
    assert.deepEqual(await totals(ledger, 'b'), [2n, 1n, 0n, 0n]);
  },
  'B3/done-link-failing: a link that was carried out earlier stays so when the chain fails': async (ledger) => {
    await fund(ledger, { a: 5n, b: 0n });
    await created(ledger.transfer(move('1', 'a', 'b', 2n)));
    const calls = [pay('1', 'a', 'b', 2n), pay('2', 'a', 'b', 1n), pay('3', 'b', 'a', 9n)];
    assert.deepEqual(await outcomes(ledger, calls, true), ['created', 'linked_failed', 'insufficient_funds']);
    assert.deepEqual(await totals(ledger, 'a'), [5n, 2n, 0n, 0n]);
  },
  'B3/refused-link: a link that was refused earlier fails the chain': async (ledger) => {
    await fund(ledger, { a: 5n, b: 0n });
    await ledger.transfer(move('2', 'b', 'a', 1n));
    const calls = [pay('1', 'a', 'b', 2n), pay('2', 'b', 'a', 1n)];
    assert.deepEqual(await outcomes(ledger, calls, true), ['linked_failed', 'insufficient_funds']);
    assert.deepEqual(await totals(ledger, 'a'), [5n, 0n, 0n, 0n]);
  },
});

export const batchCases: readonly ConformanceCase[] = [...alone, ...linked, ...again];
