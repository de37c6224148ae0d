import { randomUUID } from 'node:crypto';
import { expect, inject, onTestFinished, test } from 'vitest';
import { Connection } from '../../src/connection/connection.ts';
import { Calls } from '../../src/ledger/calls.ts';
import { operator, ownServer } from '../own-server.ts';
import { fund, move, openOwn } from './own-ledger.ts';

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
  expect((await admin.hkeys(`{ledger}:${name}:history`)).toSorted()).toEqual(['a\n1', 'b\n1', 'c\n0', 'vault\n0']);
  expect(await ledger.void({ id: 'voided', pendingId: 'open' })).toMatchObject({ outcome: 'created' });
  expect(await trim('4', 1_000)).toEqual([12, 0]);
  expect(await ledger.audit()).toMatchObject({ ok: true, faults: [], records: 0, wallets: 4 });
  expect((await ledger.transfers({ wallet: 'a' })).items).toEqual([]);
  expect(await ledger.transfer(move('after', 'a', 'c', 1n))).toMatchObject({ outcome: 'created' });
  expect((await ledger.transfers({ wallet: 'a' })).items).toMatchObject([{ id: 'after' }]);
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
