import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { operator } from '../../../redis/test/own-server.ts';
import { allSaid, start } from '../../../redis/test/process.ts';
import { currency, fund, move, openOwn } from './own-ledger.ts';

/** To start processes may take a minute while many others start. */
const timeout = 120_000;
const url = inject('redisUrl');

function counted(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

test('two processes spend 500 times at once: the 100 that there is money for, without a lock', {
  timeout,
}, async () => {
  const name = randomUUID();
  const ledger = await openOwn({ url, name });
  await fund(ledger, { a: 100n, b: 0n });
  const spenders = ['x', 'y'].map((prefix) => start('../../ledger/test/redis/spender.ts', [url, name, prefix, 250]));
  const outcomes = (await Promise.all(spenders.map((each) => allSaid<string[]>(each)))).flat(2);
  expect(counted(outcomes)).toEqual({ created: 100, insufficient_funds: 400 });
  expect(await ledger.wallet('a')).toMatchObject({ creditsPosted: 100n, debitsPosted: 100n });
  expect(await ledger.wallet('b')).toMatchObject({ creditsPosted: 100n });
  expect(await ledger.audit()).toMatchObject({ ok: true, records: 3 + 1 + 500 });
  const keys = await operator(url).keys(`*${name}*`);
  const kept = ['balances', 'history', 'ids', 'index', 'log', 'meta', 'refusals', 'wallets'];
  expect(keys.toSorted()).toEqual(kept.map((key) => `{ledger}:${name}:${key}`));
});

test('one id fifty times at once has one effect and equal answers', async () => {
  const name = randomUUID();
  const handles = await Promise.all([0, 1, 2, 3, 4].map(() => openOwn({ url, name })));
  const [ledger] = handles as [(typeof handles)[number]];
  await fund(ledger, { a: 100n, b: 0n });
  const call = move('once', 'a', 'b', 7n);
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => handles[n % 5]?.transfer(call)));
  expect(answers.filter((answer) => answer?.replayed === false)).toHaveLength(1);
  const { transfer } = await ledger.transfer(call);
  for (const answer of answers) expect(answer).toMatchObject({ outcome: 'created', transfer });
  expect(await ledger.wallet('b')).toMatchObject({ creditsPosted: 7n });
});

test('amounts beyond 2^53 are exact, up to 2^63 − 1', async () => {
  const ledger = await openOwn({ url });
  const most = 2n ** 63n - 1n;
  await fund(ledger, { a: 2n ** 53n + 1n, b: 0n, c: 0n });
  expect(await ledger.wallet('a')).toMatchObject({ creditsPosted: 9_007_199_254_740_993n });
  expect(await ledger.transfer(move('1', 'a', 'b', 2n ** 53n))).toMatchObject({ outcome: 'created' });
  expect(await ledger.transfer(move('2', 'a', 'b', 2n))).toMatchObject({ outcome: 'insufficient_funds' });
  expect(await ledger.transfer(move('3', 'a', 'b', 1n))).toMatchObject({ outcome: 'created' });
  await ledger.createWallet({ id: 'bank', owner: 'bank', currency, overdraft: true });
  expect(await ledger.transfer(move('4', 'bank', 'c', most))).toMatchObject({ outcome: 'created' });
  expect(await ledger.transfer(move('5', 'bank', 'c', 1n))).toMatchObject({ outcome: 'overflow' });
  expect(await ledger.reserve(move('6', 'c', 'b', most - 2n ** 53n - 1n))).toMatchObject({ outcome: 'created' });
  expect(await ledger.transfer(move('7', 'c', 'b', 1n))).toMatchObject({ outcome: 'overflow' });
  expect(await ledger.post({ id: '8', pendingId: '6', amount: most - 2n ** 53n - 2n })).toMatchObject({
    outcome: 'created',
  });
  expect(await ledger.wallet('b')).toMatchObject({ creditsPosted: most - 1n, creditsPending: 0n });
  expect(await ledger.wallet('c')).toMatchObject({ creditsPosted: most, debitsPosted: most - 2n ** 53n - 2n });
  expect(await ledger.audit()).toMatchObject({ ok: true, faults: [] });
});
