import assert from 'node:assert/strict';
import type { Ledger, TransferAnswer, TransferOutcome } from 'mempool-ledger';
import type { ConformanceCase } from '../../case/case.ts';
import { eachLedger, eachOnLedger, mustLedger } from '../../case/must.ts';
import { created, fund, most, move, outcomeOf, walletOf, whole } from '../../scenario/ledger.ts';

/** Wallets in all states that a move may meet. */
async function scene(ledger: Ledger): Promise<void> {
  await fund(ledger, { a: 10n, b: 0n, shut: 0n, full: most - 10n });
  await ledger.closeWallet('shut');
  await ledger.createWallet({ ...walletOf('yen'), currency: 'YEN' });
  await ledger.createWallet({ ...walletOf('shut yen'), currency: 'YEN' });
  await ledger.closeWallet('shut yen');
  await created(ledger.transfer(move('back', 'full', '~vault', most - 15n)));
}

/** Each move breaks several rules: the one that comes first in the order is the answer. */
const moves: readonly (readonly [
  id: string,
  title: string,
  expected: TransferOutcome,
  call: ReturnType<typeof move>,
])[] = [
  [
    'no-destination',
    'a closed source and no destination',
    'destination_wallet_not_found',
    move('x', 'shut', 'no', 99n),
  ],
  ['currency', 'another currency of the destination, too little', 'currency_mismatch', move('x', 'a', 'yen', 99n)],
  ['currency-source', 'another currency of the source', 'currency_mismatch', move('x', 'yen', 'a', 99n)],
  [
    'currency-said',
    'both wallets have another currency than the call',
    'currency_mismatch',
    move('x', 'a', 'b', 99n, { currency: 'YEN' }),
  ],
  ['funds', 'too little, and more than the destination can take', 'insufficient_funds', move('x', 'a', 'full', 99n)],
  ['overflow', 'more than the destination can take', 'overflow', move('x', 'a', 'full', 11n)],
];

const ordered: readonly ConformanceCase[] = moves.map(([id, title, expected, call]) =>
  mustLedger(`T4/${id}`, `${title}: ${expected}, for transfers and reservations, and it sticks`, async (context) => {
    const ledger = await context.ledger();
    await scene(ledger);
    // What the destination got in all is at its most, though little of it is left.
    if (call.destination === 'full') await created(ledger.transfer(move('pay', 'full', 'a', 5n)));
    const first = await ledger.transfer(call);
    const reserved = await ledger.reserve({ ...call, id: 'y' });
    assert.deepEqual([first.outcome, reserved.outcome], [expected, expected]);
    assert.deepEqual([first.transfer?.state, reserved.transfer?.kind], ['refused', 'reserve']);
    assert.deepEqual(await ledger.transfer(call), { ...first, replayed: true });
  }),
);

async function refusedAs(answer: Promise<TransferAnswer>, expected: TransferOutcome): Promise<void> {
  const { outcome, transfer } = await answer;
  assert.deepEqual([outcome, transfer?.outcome, transfer?.state], [expected, expected, 'refused']);
}

const resolving = eachOnLedger({
  'T4/malformed-id: a malformed id is said before a malformed amount, and leaves no trace': async (ledger) => {
    await fund(ledger, { a: 9n, b: 0n });
    const before = await whole(ledger);
    const wrong = ['', 'x'.repeat(129), 'a\nb', '\u0000', '\ud800', '~x', 7 as unknown as string];
    for (const id of wrong) {
      const refused = { outcome: 'invalid_id', transfer: null, replayed: false };
      assert.deepEqual(await ledger.transfer(move(id, 'a', 'b', 0n)), refused);
      assert.deepEqual(await ledger.reserve(move(id, 'a', 'b', 0n)), refused);
      assert.deepEqual(await ledger.post({ id, pendingId: 'r', amount: 0n }), refused);
      assert.deepEqual(await ledger.void({ id, pendingId: 'r' }), refused);
    }
    for (const id of ['', 'x'.repeat(65), 'a\nb', '\ud800']) {
      assert.equal(await outcomeOf(ledger.transfer(move('t', id, 'b', 1n))), 'invalid_id');
      assert.equal(await outcomeOf(ledger.transfer(move('t', 'a', id, 1n))), 'invalid_id');
      assert.equal((await ledger.createWallet({ ...walletOf('w'), id })).outcome, 'invalid_id');
      assert.deepEqual([await ledger.wallet(id), (await ledger.closeWallet(id)).outcome], [null, 'wallet_not_found']);
    }
    assert.deepEqual(await whole(ledger), before);
  },
});

const counting = eachLedger({
  'T8/capped: beyond the cap a refusal of that owner is not recorded, and its id stays free': async ({
    ledger: open,
  }) => {
    const ledger = await open({ maxRefusals: 2 });
    await fund(ledger, { a: 1n, b: 0n });
    await ledger.createWallet({ ...walletOf('a'), id: 'a2' });
    await refusedAs(ledger.transfer(move('x1', 'a', 'b', 2n)), 'insufficient_funds');
    await refusedAs(ledger.transfer(move('x2', 'a2', 'b', 2n)), 'insufficient_funds');
    const before = await whole(ledger);
    const refused = { outcome: 'too_many_refusals', transfer: null, replayed: false };
    for (const source of ['a', 'a2']) assert.deepEqual(await ledger.transfer(move('x3', source, 'b', 2n)), refused);
    assert.deepEqual(await whole(ledger), before);
    // Others, and what succeeds, are not held back.
    await refusedAs(ledger.transfer(move('y1', 'b', 'a', 2n)), 'insufficient_funds');
    assert.equal(await outcomeOf(ledger.transfer(move('x1', 'a', 'b', 2n))), 'insufficient_funds');
    await created(ledger.transfer(move('x3', 'a', 'b', 1n)));
  },
});

export const outcomeCases: readonly ConformanceCase[] = [...ordered, ...resolving, ...counting];
