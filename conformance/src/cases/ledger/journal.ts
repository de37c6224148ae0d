import assert from 'node:assert/strict';
import type { Ledger } from 'mempool-ledger';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachOnLedger, mustLedger } from '../../case/must.ts';
import {
  allRecords,
  audited,
  coin,
  created,
  fund,
  move,
  newWallets,
  outcomeOf,
  totals,
  whole,
} from '../../scenario/ledger.ts';

/** Every kind of record. */
async function busy(ledger: Ledger): Promise<void> {
  await fund(ledger, { a: 100n, b: 0n });
  await created(ledger.transfer(move('t', 'a', 'b', 10n)));
  await ledger.transfer(move('refused', 'a', 'b', 1_000n));
  for (const id of ['r1', 'r2', 'r3']) await created(ledger.reserve(move(id, 'a', 'b', 5n)));
  await created(ledger.post({ id: 'p', pendingId: 'r1', amount: 2n }));
  await created(ledger.void({ id: 'v', pendingId: 'r2' }));
  await ledger.setTags('a', ['x']);
  await newWallets(ledger, 'c');
  await ledger.closeWallet('c');
}

const numbers = eachOnLedger({
  'J1/numbers: records are numbered from 1 without gaps; their times never go back': async (ledger) => {
    await busy(ledger);
    const records = await allRecords(ledger);
    assert.deepEqual(
      records.map(({ seq }) => seq),
      Array.from({ length: 14 }, (_, i) => i + 1),
    );
    const times = records.map(({ at }) => at);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.ok(times.every((at) => Number.isSafeInteger(at) && at > 1_600_000_000_000));
    assert.equal(await ledger.head(), 14);
  },
  'J1/types: each change is the record of its type': async (ledger) => {
    await busy(ledger);
    const types = (await allRecords(ledger)).map((one) => (one.type === 'transfer' ? one.transfer.kind : one.type));
    const expected = [
      'wallet',
      'wallet',
      'transfer',
      'wallet',
      'transfer',
      'transfer',
      'reserve',
      'reserve',
      'reserve',
    ];
    assert.deepEqual(types, [...expected, 'post', 'void', 'tags', 'wallet', 'close']);
  },
  'J2/chain: every record has a digest of its own, and the audit confirms the chain': async (ledger) => {
    await busy(ledger);
    const records = await allRecords(ledger);
    assert.ok(records.every(({ digest }) => /^[0-9a-f]{40}$/.test(digest)));
    assert.equal(new Set(records.map(({ digest }) => digest)).size, records.length);
    const { digest, seq } = await ledger.audit();
    assert.deepEqual([digest, seq], [records.at(-1)?.digest, records.length]);
    await audited(ledger);
  },
  'J4/while-writing: an audit beside writers finds nothing either': async (ledger) => {
    await fund(ledger, { a: 1_000n, b: 0n });
    const audits: Promise<void>[] = [];
    for (let round = 0; round < 5; round++) {
      audits.push(audited(ledger));
      const calls = Array.from({ length: 20 }, (_, i) => ledger.transfer(move(`t${round}-${i}`, 'a', 'b', 1n)));
      calls.push(ledger.reserve(move(`r${round}`, 'a', 'b', 1n)));
      await Promise.all(calls);
      await ledger.void({ id: `v${round}`, pendingId: `r${round}` });
    }
    await Promise.all(audits);
    await audited(ledger);
  },
});

const day = 86_400_000;

/** A UUIDv7 of that time. */
function idAt(ms: number, n = 0): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`;
}

const retention = [
  mustLedger(
    'J5/ids',
    'with a retention the id of a transfer or reservation is a UUIDv7 not older than it; else it is refused and leaves no trace',
    async ({ ledger: open }) => {
      const ledger = await open({ retentionMs: day });
      await newWallets(ledger, 'a');
      const before = await whole(ledger);
      const now = Date.now();
      const wrong = ['t', idAt(now).toUpperCase().replace('-7', '-4'), idAt(now + 3_600_000)];
      for (const id of wrong) assert.equal(await outcomeOf(ledger.transfer(move(id, '~vault', 'a', 1n))), 'invalid_id');
      const old = idAt(now - 2 * day);
      assert.equal(await outcomeOf(ledger.transfer(move(old, '~vault', 'a', 1n))), 'id_expired');
      assert.equal(await outcomeOf(ledger.reserve(move(old, '~vault', 'a', 1n))), 'id_expired');
      assert.deepEqual(await whole(ledger), before);
      await created(ledger.transfer(move(idAt(now - day + 3_600_000), '~vault', 'a', 1n)));
      await created(ledger.transfer(move(idAt(now), '~vault', 'a', 1n)));
    },
  ),
  mustLedger(
    'J5/longer',
    'an id whose record was trimmed stays expired under a longer retention, and under none',
    (context) => longer(context),
    ['clock', 'durable'],
  ),
  mustLedger(
    'J5/plain',
    'once records were trimmed, an id without a time is refused, whatever the retention is now',
    (context) => plain(context),
    ['clock', 'durable'],
  ),
  mustLedger(
    'J6/opening',
    'what is trimmed is in the openings: balances stay, the audit finds nothing, the ids are expired',
    (context) => trimmed(context),
    ['clock'],
  ),
  mustLedger(
    'J6/pending',
    'a pending reservation is not trimmed, nor anything after it',
    (context) => heldBack(context),
    ['clock'],
  ),
  mustLedger('J6/refusals', 'a trimmed refusal no longer counts', (context) => forgiven(context), ['clock']),
];

async function trimmed({ ledger: open }: CaseContext): Promise<void> {
  const clock = { now: 1_800_000_000_000 };
  const ledger = await open({ retentionMs: day, now: () => clock.now });
  await newWallets(ledger, 'a', 'b');
  const [first, second, third] = [idAt(clock.now, 1), idAt(clock.now, 2), idAt(clock.now, 3)];
  await created(ledger.transfer(move(first, '~vault', 'a', 10n)));
  await created(ledger.reserve(move(second, 'a', 'b', 4n)));
  await created(ledger.post({ id: third, pendingId: second, amount: 3n }));
  clock.now += day;
  const late = idAt(clock.now);
  await created(ledger.transfer(move(late, 'a', 'b', 1n)));
  const wallets = await ledger.wallets();
  clock.now += 3_600_000;
  assert.deepEqual(await ledger.trim(), { count: 6, more: false });
  assert.deepEqual(await ledger.trim(), { count: 0, more: false });
  assert.deepEqual(await ledger.wallets(), wallets);
  assert.deepEqual(
    (await allRecords(ledger)).map(({ seq }) => seq),
    [7],
  );
  assert.deepEqual(
    (await ledger.transfers({ wallet: 'a' })).items.map(({ id }) => id),
    [late],
  );
  for (const id of [first, second, third]) assert.equal(await ledger.findTransfer(id), null);
  assert.equal(await outcomeOf(ledger.transfer(move(first, '~vault', 'a', 10n))), 'id_expired');
  assert.deepEqual(await totals(ledger, 'b'), [4n, 0n, 0n, 0n]);
  await audited(ledger);
  const { value } = await ledger.subscribe()[Symbol.asyncIterator]().next();
  assert.deepEqual(value, { type: 'lagged', from: 1, to: 6 });
}

async function longer(context: CaseContext): Promise<void> {
  const name = context.newPool();
  const clock = { now: 1_800_000_000_000 };
  const open = (retentionMs: number | 'never') => context.ledger({ name, retentionMs, now: () => clock.now });
  const first = await open(day);
  await newWallets(first, 'a');
  // Its time may be ahead of the ledger's.
  const [paid, held] = [idAt(clock.now, 1), idAt(clock.now + 200_000, 2)];
  await created(first.transfer(move(paid, '~vault', 'a', 1n)));
  await created(first.reserve(move(held, '~vault', 'a', 1n)));
  await created(first.post({ id: 'p', pendingId: held }));
  clock.now += 2 * day;
  assert.deepEqual(await first.trim(), { count: 5, more: false });
  await first.close();
  for (const retentionMs of [7 * day, 'never'] as const) {
    const ledger = await open(retentionMs);
    const before = await whole(ledger);
    assert.equal(await outcomeOf(ledger.transfer(move(paid, '~vault', 'a', 1n))), 'id_expired');
    assert.equal(await outcomeOf(ledger.reserve(move(held, '~vault', 'a', 1n))), 'id_expired');
    assert.deepEqual(await whole(ledger), before);
    await created(ledger.transfer(move(idAt(clock.now, retentionMs === 'never' ? 4 : 3), '~vault', 'a', 1n)));
    await audited(ledger);
    await ledger.close();
  }
}

async function plain(context: CaseContext): Promise<void> {
  const name = context.newPool();
  const clock = { now: 1_800_000_000_000 };
  const open = (retentionMs: number | 'never') => context.ledger({ name, retentionMs, now: () => clock.now });
  const invoice = move('invoice-17', '~vault', 'a', 1n);
  const first = await open('never');
  await newWallets(first, 'a');
  await created(first.transfer(invoice));
  await first.close();
  clock.now += 2 * day;
  const trimming = await open(day);
  assert.deepEqual(await trimming.trim(), { count: 3, more: false });
  await trimming.close();
  const ledger = await open('never');
  const before = await whole(ledger);
  assert.equal(await outcomeOf(ledger.transfer(invoice)), 'invalid_id');
  assert.equal(await outcomeOf(ledger.reserve(invoice)), 'invalid_id');
  assert.deepEqual(await whole(ledger), before);
  const held = idAt(clock.now, 1);
  await created(ledger.reserve({ ...invoice, id: held }));
  await created(ledger.post({ id: 'posted', pendingId: held }));
  await audited(ledger);
}

async function heldBack({ ledger: open }: CaseContext): Promise<void> {
  const clock = { now: 1_800_000_000_000 };
  const ledger = await open({ retentionMs: day, now: () => clock.now });
  await newWallets(ledger, 'a');
  const [held, after] = [idAt(clock.now, 1), idAt(clock.now, 2)];
  await created(ledger.reserve(move(held, '~vault', 'a', 10n)));
  await created(ledger.transfer(move(after, '~vault', 'a', 10n)));
  clock.now += 2 * day;
  assert.deepEqual(await ledger.trim(), { count: 2, more: false });
  assert.equal((await ledger.findTransfer(held))?.state, 'pending');
  await audited(ledger);
  await created(ledger.post({ id: 'p', pendingId: held }));
  assert.deepEqual(await ledger.trim(), { count: 2, more: false });
  assert.deepEqual(
    (await allRecords(ledger)).map(({ seq }) => seq),
    [5],
  );
  assert.deepEqual(await totals(ledger, 'a'), [20n, 0n, 0n, 0n]);
  await audited(ledger);
}

async function forgiven({ ledger: open }: CaseContext): Promise<void> {
  const clock = { now: 1_800_000_000_000 };
  const ledger = await open({ retentionMs: day, maxRefusals: 1, now: () => clock.now });
  await newWallets(ledger, 'a', 'b');
  const refuse = (n: number) => outcomeOf(ledger.transfer(move(idAt(clock.now, n), 'a', 'b', 1n)));
  assert.deepEqual([await refuse(1), await refuse(2)], ['insufficient_funds', 'too_many_refusals']);
  clock.now += 2 * day;
  assert.equal((await ledger.trim()).count, 4);
  assert.deepEqual([await refuse(3), await refuse(4)], ['insufficient_funds', 'too_many_refusals']);
}

const backwards = mustLedger(
  'J1/clock-back',
  'a clock that goes back does not take the records with it',
  async ({ ledger: open }) => {
    const clock = { now: 1_800_000_000_000 };
    const ledger = await open({ now: () => clock.now });
    await newWallets(ledger, 'a');
    clock.now -= 5_000;
    const { at, expiresAt } = await created(ledger.reserve({ ...move('r', '~vault', 'a', 1n), timeoutMs: 1_000 }));
    assert.deepEqual([at, expiresAt], [clock.now + 5_000, clock.now + 6_000]);
  },
  ['clock'],
);

const telling = eachOnLedger({
  'T9/whole: a transfer tells all that its call said': async (ledger) => {
    await fund(ledger, { a: 10n, b: 0n });
    const said = { description: 'x'.repeat(512), metadata: { b: '2', a: '1', 'ключ "q"': 'line\nbreak\u0000' } };
    const answer = await ledger.transfer(move('t', 'a', 'b', 1n, said));
    const { description, metadata, currency } = (await ledger.findTransfer('t')) ?? assert.fail('no transfer');
    assert.deepEqual({ description, metadata, currency }, { ...said, currency: coin });
    assert.deepEqual(await ledger.findTransfer('t'), answer.transfer);
  },
});

export const tellingCases: readonly ConformanceCase[] = telling;
export const journalCases: readonly ConformanceCase[] = [...numbers, backwards, ...retention];
