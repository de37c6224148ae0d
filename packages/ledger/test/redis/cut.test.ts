import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Ledger } from 'mempool-ledger';
import type { Cut } from 'mempool-testkit';
import { expect, inject, test } from 'vitest';
import { operator, ownProxy } from '../../../redis/test/own-server.ts';
import { currency, fund, move, openOwn } from './own-ledger.ts';

const cuts: readonly Cut[] = ['before the request', 'after the request', 'before the reply'];

interface Verb {
  readonly verb: string;
  readonly call: (ledger: Ledger) => Promise<unknown>;
}

const verbs: readonly Verb[] = [
  { verb: 'createWallet', call: (ledger) => ledger.createWallet({ id: 'new', owner: 'me', currency, tags: ['x'] }) },
  { verb: 'setTags', call: (ledger) => ledger.setTags('a', ['y', 'z']) },
  { verb: 'closeWallet', call: (ledger) => ledger.closeWallet('empty') },
  { verb: 'transfer', call: (ledger) => ledger.transfer(move('t', 'a', 'b', 3n)) },
  { verb: 'a transfer that is refused', call: (ledger) => ledger.transfer(move('t', 'a', 'b', 300n)) },
  { verb: 'reserve', call: (ledger) => ledger.reserve({ ...move('t', 'a', 'b', 3n), timeoutMs: 60_000 }) },
  { verb: 'post', call: (ledger) => ledger.post({ id: 'p', pendingId: 'held', amount: 2n }) },
  { verb: 'void', call: (ledger) => ledger.void({ id: 'v', pendingId: 'held' }) },
  { verb: 'sweep', call: (ledger) => ledger.sweep() },
  {
    verb: 'batch',
    call: (ledger) => ledger.batch([7n, 300n, 2n].map((n) => ({ ...move(`t${n}`, 'a', 'b', n), kind: 'transfer' }))),
  },
  {
    verb: 'a linked batch',
    call: (ledger) =>
      ledger.batch(
        [7n, 300n, 2n].map((n) => ({ ...move(`t${n}`, 'a', 'b', n), kind: 'reserve' })),
        { linked: true },
      ),
  },
  { verb: 'wallet', call: (ledger) => ledger.wallet('a') },
  { verb: 'wallets', call: (ledger) => ledger.wallets({ owner: 'owner of a' }) },
  { verb: 'findTransfer', call: (ledger) => ledger.findTransfer('held') },
  { verb: 'transfers', call: (ledger) => ledger.transfers({ wallet: 'a' }) },
  { verb: 'records', call: (ledger) => ledger.records(0) },
  { verb: 'head', call: (ledger) => ledger.head() },
];

/** Without times, and without `replayed`: a call that was repeated because its answer was lost finds its own record. */
function comparable(value: unknown): unknown {
  const own = ['at', 'createdAt', 'expiresAt', 'digest', 'replayed'];
  const text = JSON.stringify(value, (name, field) => {
    if (own.includes(name)) return undefined;
    return typeof field === 'bigint' ? `${field}n` : field;
  });
  return JSON.parse(text);
}

async function contents(ledger: Ledger) {
  const { items } = await ledger.wallets();
  return comparable([items, await ledger.records(0), await ledger.findTransfer('held'), await ledger.audit()]);
}

async function serverTime(client: ReturnType<typeof operator>): Promise<number> {
  const [seconds, micros] = (await client.time()).map(Number) as [number, number];
  return seconds * 1_000 + Math.floor(micros / 1_000);
}

test.for(verbs)('$verb: a cut connection leaves one effect and the same answer', async ({ call }) => {
  const url = inject('redisUrl');
  const [proxy, client] = [await ownProxy(url), operator(url)];
  const open = async (at: string) => {
    const ledger = await openOwn({ url: at, name: randomUUID() });
    await fund(ledger, { a: 100n, b: 0n, empty: 0n });
    const [, brief] = await ledger.batch([
      { ...move('held', 'a', 'b', 5n), kind: 'reserve' },
      { ...move('brief', 'a', 'b', 5n), kind: 'reserve', timeoutMs: 1 },
    ]);
    // Then a sweep has something to do.
    const due = brief?.transfer?.expiresAt ?? Number.POSITIVE_INFINITY;
    await expect.poll(() => serverTime(client)).toBeGreaterThan(due);
    return ledger;
  };
  const undisturbed = await open(url);
  const outcome = comparable(await call(undisturbed));
  const due = await contents(undisturbed);
  for (const cut of cuts) {
    const ledger = await open(proxy.url);
    const cutting = proxy.cutNext(cut);
    assert.deepEqual(comparable(await call(ledger)), outcome, cut);
    await cutting;
    assert.deepEqual(await contents(ledger), due, cut);
  }
});
