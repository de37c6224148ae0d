import { randomUUID } from 'node:crypto';
import { newTransferId } from 'mempool-ledger';
import { Connection } from 'mempool-redis/backend';
import { expect, inject, onTestFinished, test } from 'vitest';
import { operator, ownServer } from '../../../redis/test/own-server.ts';
import { Calls } from '../../src/redis/calls.ts';
import { currency, fund, move, openOwn } from './own-ledger.ts';

const url = inject('redisUrl');

/** Trims without regard to age: a ledger keeps what is younger than five minutes. */
function trimmer(name: string, at = url) {
  const base = `{ledger}:${name}`;
  const clock = () => performance.now();
  const calls = new Calls(new Connection({ url: at, pool: base, keyPrefix: base, timeoutMs: 5_000, clock }), base);
  onTestFinished(() => calls.close());
  return (call: string, limit: number) => calls.run('trim', [call, -60_000, limit]);
}

test('trimmed records are added up in the openings, up to a reservation that is pending', async () => {
  const name = randomUUID();
  const ledger = await openOwn({ url, name });
  await fund(ledger, { a: 2n ** 60n, b: 0n, c: 0n });
  const many = (from: number, count: number) =>
    ledger.batch(
      Array.from({ length: count }, (_, n) => ({
        ...move(`t${from + n}`, 'a', 'b', 2n ** 53n + 1n),
        kind: 'transfer',
      })),
    );
  await many(0, 70);
  await ledger.transfer(move('refused', 'c', 'b', 1n));
  await ledger.reserve(move('first', 'b', 'c', 9n));
  await ledger.post({ id: 'posted', pendingId: 'first', amount: 4n });
  await ledger.reserve(move('open', 'b', 'c', 5n));
  await many(100, 10);
  const trim = trimmer(name);
  // Four wallets with the vault, and what funds one of them.
  const trimmable = 4 + 1 + 70 + 3;
  expect(await trim('1', 66)).toEqual([66, 1]);
  expect(await trim('1', 66)).toEqual([66, 1]);
  expect(await ledger.audit()).toMatchObject({ ok: true, faults: [], records: trimmable - 66 + 11 });
  expect(await trim('2', 1_000)).toEqual([trimmable - 66, 0]);
  expect(await trim('3', 1_000)).toEqual([0, 0]);
  expect(await ledger.audit()).toMatchObject({ ok: true, faults: [], records: 11 });
  expect(await ledger.findTransfer('t0')).toBeNull();
  const history = await ledger.transfers({ wallet: 'b' });
  expect(history.items.map(({ id }) => id)).toEqual(['open', ...Array.from({ length: 10 }, (_, n) => `t${100 + n}`)]);
  expect((await ledger.transfers({ wallet: 'a', after: 1, limit: 3 })).items.map(({ id }) => id)).toEqual([
    't100',
    't101',
    't102',
  ]);
  const admin = operator(url);
  expect(await admin.hget(`{ledger}:${name}:refusals`, 'owner of c')).toBeNull();
  // The first chunk of each wallet is gone.
  expect((await admin.hkeys(`{ledger}:${name}:history`)).toSorted()).toEqual(['a\n1', 'b\n1', 'c\n0', '~vault\n0']);
  expect(await ledger.void({ id: 'voided', pendingId: 'open' })).toMatchObject({ outcome: 'created' });
  expect(await trim('4', 1_000)).toEqual([12, 0]);
  expect(await ledger.audit()).toMatchObject({ ok: true, faults: [], records: 0, wallets: 4 });
  expect((await ledger.transfers({ wallet: 'a' })).items).toEqual([]);
  const after = newTransferId(Date.now() + 300_001);
  expect(await ledger.transfer(move(after, 'a', 'c', 1n))).toMatchObject({ outcome: 'created' });
  expect((await ledger.transfers({ wallet: 'a' })).items).toMatchObject([{ id: after }]);
  expect(await ledger.audit()).toMatchObject({ ok: true, records: 1 });
});

test('a full server is trimmed all the same', async () => {
  const [name, server] = [randomUUID(), await ownServer()];
  const ledger = await openOwn({ url: server.url, name });
  await fund(ledger, { a: 1n });
  await operator(server.url).config('SET', 'maxmemory', '1');
  expect(await trimmer(name, server.url)('1', 1)).toEqual([1, 1]);
  expect(await ledger.records(0)).toHaveLength(2);
});

test('an id whose record was trimmed is not carried out again under a longer retention', async () => {
  const name = randomUUID();
  const short = await openOwn({ url, name, retentionMs: 1_000 });
  const ledgers = [short, await openOwn({ url, name, retentionMs: 86_400_000 }), await openOwn({ url, name })];
  for (const id of ['a', 'b']) await short.createWallet({ id, owner: id, currency });
  const [paid, held] = [move(newTransferId(), '~vault', 'a', 5n), move(newTransferId(), '~vault', 'a', 3n)];
  await short.transfer(paid);
  await short.reserve(held);
  await short.post({ id: 'posted', pendingId: held.id });
  expect(await trimmer(name)('1', 1_000)).toEqual([6, 0]);
  for (const ledger of ledgers) {
    expect(await ledger.transfer(paid)).toMatchObject({ outcome: 'id_expired', transfer: null });
    expect(await ledger.reserve(held)).toMatchObject({ outcome: 'id_expired', transfer: null });
    expect(await ledger.wallet('a')).toMatchObject({ creditsPosted: 8n, creditsPending: 0n });
  }
  // Nor is an id without a time: its record may be gone.
  const plain = move('invoice-17', '~vault', 'a', 5n);
  expect(await ledgers[2]?.transfer(plain)).toMatchObject({ outcome: 'invalid_id', transfer: null });
  expect(await ledgers[2]?.reserve(plain)).toMatchObject({ outcome: 'invalid_id', transfer: null });
  const later = move(newTransferId(Date.now() + 300_001), 'a', 'b', 8n);
  expect(await ledgers[2]?.transfer(later)).toMatchObject({ outcome: 'created' });
  expect(await short.audit()).toMatchObject({ ok: true, faults: [] });
});
