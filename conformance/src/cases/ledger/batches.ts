import assert from 'node:assert/strict';
import { isLedgerError, type Ledger, type TransferCall } from 'mempool-ledger';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnLedger } from '../../case/must.ts';
import { allRecords, audited, created, fund, move, totals, whole } from '../../scenario/ledger.ts';

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
  'B2/malformed: with a malformed link nothing is carried out and nothing recorded': async (ledger) => {
    await fund(ledger, { a: 5n, b: 0n });
    const before = await whole(ledger);
    const calls = [pay('1', 'a', 'b', 1n), pay('2', 'a', 'b', 0n), pay('', 'a', 'b', 1n)];
    assert.deepEqual(await outcomes(ledger, calls, true), ['linked_failed', 'invalid_amount', 'invalid_id']);
    assert.deepEqual(await whole(ledger), before);
    await created(ledger.transfer(move('1', 'a', 'b', 1n)));
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
});

export const batchCases: readonly ConformanceCase[] = [...alone, ...linked, ...again];
