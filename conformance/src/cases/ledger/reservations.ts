import assert from 'node:assert/strict';
import type { Ledger, Transfer } from 'mempool-ledger';
import type { ConformanceCase } from '../../case/case.ts';
import { eachLedger, eachOnLedger, mustLedger } from '../../case/must.ts';
import { until } from '../../scenario/lease.ts';
import { allRecords, coin, created, fund, most, move, outcomeOf, totals } from '../../scenario/ledger.ts';

/** Ten units of `a`, of which `amount` are reserved for `b` as `r`. */
async function reserved(ledger: Ledger, amount = 6n): Promise<Transfer> {
  await fund(ledger, { a: 10n, b: 0n });
  return created(ledger.reserve(move('r', 'a', 'b', amount)));
}

const reserving = eachOnLedger({
  'H1/pending: what is reserved is pending on both sides, and not posted': async (ledger) => {
    const { at, digest, ...rest } = await reserved(ledger);
    assert.deepEqual(rest, {
      ...{ id: 'r', kind: 'reserve', outcome: 'created', state: 'pending', source: 'a', destination: 'b', amount: 6n },
      ...{
        currency: coin,
        description: '',
        metadata: {},
        pendingId: null,
        released: 0n,
        expiresAt: null,
        arbiter: null,
        payerMayVoid: false,
        seq: rest.seq,
      },
    });
    assert.deepEqual(
      [await totals(ledger, 'a'), await totals(ledger, 'b')],
      [
        [10n, 0n, 0n, 6n],
        [0n, 0n, 6n, 0n],
      ],
    );
  },
  'H1/ending: a reservation tells who may end it, for good': async (ledger) => {
    await fund(ledger, { a: 10n, b: 0n });
    const call = { ...move('r', 'a', 'b', 2n), arbiter: 'Märkte & "Co"', payerMayVoid: true };
    const made = await created(ledger.reserve(call));
    assert.deepEqual([made.arbiter, made.payerMayVoid], [call.arbiter, true]);
    assert.deepEqual(await ledger.findTransfer('r'), made);
    assert.deepEqual(await ledger.reserve(call), { outcome: 'created', transfer: made, replayed: true });
    for (const other of [{ arbiter: 'else' }, { arbiter: undefined }, { payerMayVoid: false }])
      assert.equal(await outcomeOf(ledger.reserve({ ...call, ...other })), 'id_conflict');
    const timed = await created(
      ledger.reserve({ ...move('r2', 'a', 'b', 2n), payerMayVoid: true, timeoutMs: 3_600_000 }),
    );
    assert.deepEqual([timed.arbiter, timed.payerMayVoid, timed.expiresAt], [null, true, timed.at + 3_600_000]);
    const { arbiter, payerMayVoid } = await created(ledger.post({ id: 'p', pendingId: 'r' }));
    assert.deepEqual([arbiter, payerMayVoid], [null, false]);
    await created(ledger.void({ id: 'v', pendingId: 'r2' }));
    assert.equal((await ledger.audit()).ok, true);
  },
  'H2/bounds: a post takes up to all, and not more': async (ledger) => {
    await reserved(ledger);
    assert.equal(await outcomeOf(ledger.post({ id: 'p7', pendingId: 'r', amount: 7n })), 'exceeds_pending_amount');
    for (const amount of [0n, -1n, most + 1n, null as unknown as bigint])
      assert.equal(await outcomeOf(ledger.post({ id: 'p0', pendingId: 'r', amount })), 'invalid_amount');
    assert.equal(await outcomeOf(ledger.post({ id: 'pm', pendingId: 'r', amount: most })), 'exceeds_pending_amount');
    assert.deepEqual(await totals(ledger, 'a'), [10n, 0n, 0n, 6n]);
    await created(ledger.post({ id: 'p6', pendingId: 'r', amount: 6n }));
    assert.deepEqual(await totals(ledger, 'a'), [10n, 6n, 0n, 0n]);
  },
  'H3/released: a void gives all back': async (ledger) => {
    const { seq } = await reserved(ledger);
    const { at, digest, ...rest } = await created(ledger.void({ id: 'v', pendingId: 'r', metadata: { why: 'no' } }));
    assert.deepEqual(rest, {
      ...{ id: 'v', kind: 'void', outcome: 'created', state: 'voided', source: 'a', destination: 'b', amount: 0n },
      ...{ currency: coin, description: '', metadata: { why: 'no' }, pendingId: 'r', released: 6n, expiresAt: null },
      ...{ arbiter: null, payerMayVoid: false },
      seq: seq + 1,
    });
    assert.equal((await ledger.findTransfer('r'))?.state, 'voided');
    assert.deepEqual(
      [await totals(ledger, 'a'), await totals(ledger, 'b')],
      [
        [10n, 0n, 0n, 0n],
        [0n, 0n, 0n, 0n],
      ],
    );
    await created(ledger.transfer(move('t', 'a', 'b', 10n)));
  },
  'H4/at-once: of a post and a void at once exactly one resolves it': async (ledger) => {
    await fund(ledger, { a: 20n, b: 0n });
    for (let round = 0; round < 10; round++) {
      await created(ledger.reserve(move(`r${round}`, 'a', 'b', 2n)));
      const calls = Array.from({ length: 6 }, (_, i) => ({ id: `x${round}-${i}`, pendingId: `r${round}` }));
      const answers = await Promise.all(calls.map((call, i) => (i % 2 ? ledger.post(call) : ledger.void(call))));
      assert.equal(answers.filter(({ outcome }) => outcome === 'created').length, 1);
      await ledger.transfer(move(`back${round}`, 'b', 'a', 2n));
    }
    assert.deepEqual((await totals(ledger, 'a')).slice(2), [0n, 0n]);
  },
  'H8/posted: a post into a wallet that was closed meanwhile is carried out, and a void too': async (ledger) => {
    await fund(ledger, { a: 10n, b: 0n, c: 0n });
    for (const [id, to] of [
      ['r1', 'b'],
      ['r2', 'c'],
    ] as const)
      await created(ledger.reserve(move(id, 'a', to, 4n)));
    for (const id of ['b', 'c']) assert.equal((await ledger.closeWallet(id)).outcome, 'closed');
    await created(ledger.post({ id: 'p', pendingId: 'r1' }));
    await created(ledger.void({ id: 'v', pendingId: 'r2' }));
    assert.deepEqual(
      [await totals(ledger, 'b'), await totals(ledger, 'c')],
      [
        [4n, 0n, 0n, 0n],
        [0n, 0n, 0n, 0n],
      ],
    );
    assert.equal(await outcomeOf(ledger.transfer(move('t', 'a', 'b', 1n))), 'wallet_closed');
  },
});

/** A clock that the case moves, in milliseconds since 1970. */
function clockOf(): { now: number } {
  return { now: 1_800_000_000_000 };
}

const timed = [
  mustLedger(
    'H5/due',
    'it expires at its time, and not before; what is due cannot be posted or voided, also before a sweep',
    async ({ ledger: open }) => {
      const clock = clockOf();
      const ledger = await open({ now: () => clock.now });
      await fund(ledger, { a: 10n, b: 0n });
      const { expiresAt, at } = await created(ledger.reserve({ ...move('r', 'a', 'b', 2n), timeoutMs: 1_000 }));
      await created(ledger.reserve({ ...move('r2', 'a', 'b', 2n), timeoutMs: 1_000 }));
      assert.deepEqual([at, expiresAt], [clock.now, clock.now + 1_000]);
      clock.now += 999;
      assert.deepEqual(await ledger.sweep(), { count: 0, more: false });
      await created(ledger.post({ id: 'p', pendingId: 'r' }));
      clock.now += 1;
      assert.equal(await outcomeOf(ledger.post({ id: 'p2', pendingId: 'r2' })), 'pending_already_expired');
      assert.equal(await outcomeOf(ledger.void({ id: 'v2', pendingId: 'r2' })), 'pending_already_expired');
      assert.deepEqual([(await ledger.findTransfer('r2'))?.state, (await totals(ledger, 'a'))[3]], ['pending', 2n]);
      assert.deepEqual(await ledger.sweep(), { count: 1, more: false });
      assert.deepEqual([(await ledger.findTransfer('r2'))?.state, (await totals(ledger, 'a'))[3]], ['expired', 0n]);
    },
    ['clock'],
  ),
  mustLedger(
    'H6/many',
    'a sweep expires at most 1,000, and says that there are more',
    async ({ ledger: open }) => {
      const clock = clockOf();
      const ledger = await open({ now: () => clock.now });
      await fund(ledger, { a: 5_000n, b: 0n });
      const calls = Array.from({ length: 1_001 }, (_, i) => ({
        ...move(`r${i}`, 'a', 'b', 1n),
        timeoutMs: 1,
        kind: 'reserve' as const,
      }));
      await ledger.batch(calls.slice(0, 1_000));
      await ledger.batch(calls.slice(1_000));
      clock.now += 1;
      assert.deepEqual(
        [await ledger.sweep(), await ledger.sweep()],
        [
          { count: 1_000, more: true },
          { count: 1, more: false },
        ],
      );
      assert.deepEqual(await totals(ledger, 'b'), [0n, 0n, 0n, 0n]);
    },
    ['clock'],
  ),
];

const sweeping = eachLedger({
  'H6/swept: a sweep ends what is due, and releases it; it is so for good': async ({ ledger: open }) => {
    const ledger = await open();
    await fund(ledger, { a: 10n, b: 0n });
    const { seq } = await created(ledger.reserve({ ...move('r', 'a', 'b', 6n), timeoutMs: 1 }));
    await created(ledger.reserve({ ...move('long', 'a', 'b', 1n), timeoutMs: 3_600_000 }));
    await created(ledger.reserve({ ...move('never', 'a', 'b', 1n), timeoutMs: 'never' }));
    const { count, more } = await until('the reservation is due', async () => {
      const swept = await ledger.sweep();
      return swept.count > 0 ? swept : null;
    });
    assert.deepEqual([count, more], [1, false]);
    const last = (await allRecords(ledger)).at(-1);
    const { at, digest, ...rest } = last?.type === 'transfer' ? last.transfer : assert.fail('no record of the expiry');
    assert.deepEqual(rest, {
      ...{ id: `~expire.${seq}`, kind: 'expire', outcome: 'created', state: 'expired', source: 'a', destination: 'b' },
      ...{ amount: 0n, currency: coin, description: '', metadata: {}, pendingId: 'r', released: 6n, expiresAt: null },
      ...{ arbiter: null, payerMayVoid: false },
      seq: seq + 3,
    });
    assert.deepEqual(await totals(ledger, 'a'), [10n, 0n, 0n, 2n]);
    assert.equal(await outcomeOf(ledger.post({ id: 'p', pendingId: 'r' })), 'pending_already_expired');
    assert.equal(await outcomeOf(ledger.void({ id: 'v', pendingId: 'r' })), 'pending_already_expired');
    assert.deepEqual(['r', 'long', 'never'].length, (await ledger.transfers({ wallet: 'b' })).items.length - 1);
    assert.equal((await ledger.findTransfer('r'))?.state, 'expired');
  },
});

export const reservationCases: readonly ConformanceCase[] = [...reserving, ...timed, ...sweeping];
