import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { LedgerErrorCode } from 'mempool-ledger';
import { expect, inject, test } from 'vitest';
import { operator, ownProxy, ownServer } from '../../../redis/test/own-server.ts';
import { userWith } from '../../../redis/test/refusal.ts';
import { fund, move, openOwn } from './own-ledger.ts';

/** The call fails with this code, in these words. */
async function fails(call: Promise<unknown>, code: LedgerErrorCode, words: RegExp): Promise<void> {
  const error: unknown = await call.then(
    () => 'it did not fail',
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code, message: expect.stringMatching(words) });
}

const url = inject('redisUrl');
const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const [, words = ''] = /^ACL SETUSER mempool-ledger on >secret (.+)$/m.exec(readme) ?? [];
const rights = words.split(' ');

test('a wrong password, a missing right and a replica are refused in words', async () => {
  const server = await ownServer('--requirepass', 'secret');
  const at = (who: string) => server.url.replace(/\/\/(.*@)?/, `//${who}@`);
  const admin = operator(at(':secret'));
  await fails(openOwn({ url: at(':wrong') }), 'ERR_LEDGER_REFUSED', /WRONGPASS/);
  await admin.call('ACL', 'SETUSER', 'node', 'on', '>pass', '~{ledger}:*', '+@all', '-xtrim');
  await fails(openOwn({ url: at('node:pass') }), 'ERR_LEDGER_REFUSED', /XTRIM/);
  await admin.call('ACL', 'SETUSER', 'node', '+xtrim');
  const ledger = await openOwn({ url: at('node:pass'), timeoutMs: 500 });
  await admin.call('ACL', 'SETUSER', 'node', '-xadd');
  await fails(ledger.createWallet({ id: 'a', owner: 'a', currency: 'C' }), 'ERR_LEDGER_REFUSED', /xadd|XADD/);
  await admin.replicaof('127.0.0.1', '1');
  await fails(ledger.wallet('~vault'), 'ERR_LEDGER_REFUSED', /replica/);
  await fails(openOwn({ url: at('node:pass') }), 'ERR_LEDGER_REFUSED', /replica/);
});

test('the rights that the README names are enough for every verb', async () => {
  const ledger = await openOwn({ url: await userWith(rights) });
  await fund(ledger, { a: 10n, b: 0n });
  await ledger.setTags('a', ['x']);
  await ledger.wallets({ owner: 'owner of a', tags: ['x'] });
  const { outcome } = await ledger.reserve({ ...move('r', 'a', 'b', 1n), timeoutMs: 1 });
  expect(outcome).toBe('created');
  await ledger.sweep();
  await ledger.settle('c', [], [{ hash: 'aa', before: null, after: 'x' }]);
  expect([await ledger.marks('c', ['aa']), (await ledger.markPage('c', '')).marks]).toMatchObject([
    ['x'],
    [{ text: 'x' }],
  ]);
  await ledger.transfers({ wallet: 'a' });
  await ledger.closeWallet('b');
  expect(await ledger.audit()).toMatchObject({ ok: true });
  for await (const event of ledger.subscribe()) if ('seq' in event && event.seq === 3) break;
});

const needed = rights.filter((right) => /^[+~]/.test(right) && right !== '+info');

test.for(needed)('without the right %s the ledger is not opened', async (right) => {
  const url = await userWith(rights.filter((other) => other !== right));
  await fails(openOwn({ url }), 'ERR_LEDGER_REFUSED', /NOPERM|can't run|permission|No permissions/i);
});

test('a full server refuses a transfer whole, and takes it when it has room', async () => {
  const server = await ownServer();
  const ledger = await openOwn({ url: server.url });
  await fund(ledger, { a: 10n, b: 0n });
  const admin = operator(server.url);
  await admin.config('SET', 'maxmemory', '1');
  await fails(ledger.transfer(move('t', 'a', 'b', 1n)), 'ERR_LEDGER_STORE_FULL', /OOM/);
  expect(await ledger.findTransfer('t')).toBeNull();
  await admin.config('SET', 'maxmemory', '0');
  expect(await ledger.transfer(move('t', 'a', 'b', 1n))).toMatchObject({ outcome: 'created', replayed: false });
  expect(await ledger.audit()).toMatchObject({ ok: true });
});

const names = ['meta', 'log', 'ids', 'wallets', 'balances', 'index', 'history', 'due', 'refusals', 'openings', 'marks'];

test.for(names)('a key of another type in the place of %s is named, and nothing is written', async (name) => {
  const ledgerName = randomUUID();
  const ledger = await openOwn({ url, name: ledgerName });
  await fund(ledger, { a: 10n, b: 0n });
  const [admin, key] = [operator(url), `{ledger}:${ledgerName}:${name}`];
  await admin.del(key);
  await admin.set(key, 'other');
  const headNow = () => admin.hget(`{ledger}:${ledgerName}:meta`, 'seq').catch(() => null);
  const head = await headNow();
  await fails(openOwn({ url, name: ledgerName }), 'ERR_LEDGER_INCOMPATIBLE', new RegExp(`another type.*:${name}$`));
  if (name === 'openings' || name === 'marks') return;
  // Touches every key that a transfer writes.
  const calls = () =>
    ledger.batch([
      { ...move('r', 'a', 'b', 1n), kind: 'reserve', timeoutMs: 1_000 },
      { ...move('n', 'a', 'b', 999n), kind: 'transfer' },
    ]);
  const create = () => ledger.createWallet({ id: 'c', owner: 'c', currency: 'C' });
  await fails(name === 'index' ? create() : calls(), 'ERR_LEDGER_INCOMPATIBLE', new RegExp(`another type.*:${name}$`));
  expect(await headNow()).toBe(head);
});

test.for(['log', 'ids', 'wallets', 'balances', 'history', 'marks'])(
  'the loss of %s is noticed and named',
  async (name) => {
    const ledgerName = randomUUID();
    const ledger = await openOwn({ url, name: ledgerName });
    await fund(ledger, { a: 10n, b: 0n });
    await ledger.settle('c', [], [{ hash: 'aa', before: null, after: 'x' }]);
    await operator(url).del(`{ledger}:${ledgerName}:${name}`);
    await fails(ledger.transfer(move('t', 'a', 'b', 1n)), 'ERR_LEDGER_CORRUPT', new RegExp(`:${name} `));
  },
);

test('a ledger of a newer format, or one that is gone, is not written to', async () => {
  const name = randomUUID();
  const ledger = await openOwn({ url, name });
  const admin = operator(url);
  await admin.hset(`{ledger}:${name}:meta`, 'format', '2');
  await fails(ledger.wallet('~vault'), 'ERR_LEDGER_INCOMPATIBLE', /format 2/);
  await fails(openOwn({ url, name }), 'ERR_LEDGER_INCOMPATIBLE', /format 2/);
  await admin.del(`{ledger}:${name}:meta`);
  await fails(openOwn({ url, name }), 'ERR_LEDGER_CORRUPT', /:meta /);
  await admin.del(...names.map((key) => `{ledger}:${name}:${key}`));
  await fails(ledger.createWallet({ id: 'a', owner: 'a', currency: 'C' }), 'ERR_LEDGER_CORRUPT', /is gone/);
  expect(await admin.keys(`*${name}*`)).toEqual([]);
});

test('a server that does not answer: unavailable before a call is sent, unknown after, and a repeat is safe', async () => {
  const proxy = await ownProxy(url);
  const ledger = await openOwn({ url: proxy.url, timeoutMs: 300 });
  await fund(ledger, { a: 10n, b: 0n });
  proxy.freeze();
  await fails(ledger.transfer(move('t', 'a', 'b', 1n)), 'ERR_LEDGER_OUTCOME_UNKNOWN', /answer/);
  await fails(ledger.wallet('a'), 'ERR_LEDGER_UNAVAILABLE', /./);
  proxy.thaw();
  await expect
    .poll(() => ledger.transfer(move('t', 'a', 'b', 1n)).catch(() => null))
    .toMatchObject({ outcome: 'created' });
  expect(await ledger.wallet('b')).toMatchObject({ creditsPosted: 1n });
});

test('wrong options are named', async () => {
  await expect(openOwn({ url, timeoutMs: 0 })).rejects.toMatchObject({
    code: 'ERR_LEDGER_ARGUMENT',
    field: 'timeoutMs',
  });
  await expect(openOwn({ url: 'http://x' })).rejects.toMatchObject({ code: 'ERR_LEDGER_ARGUMENT', field: 'url' });
  await expect(openOwn({ url, keyPrefix: '' })).rejects.toMatchObject({ field: 'keyPrefix' });
  await expect(openOwn({ url, minReplicas: -1 })).rejects.toMatchObject({ field: 'minReplicas' });
});
