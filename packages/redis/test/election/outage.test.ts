import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type ElectionClock, type Hint, systemClock } from 'mempool-election';
import { redisElection } from 'mempool-redis';
import { durable, freePort, startRedisServer } from 'mempool-testkit';
import { expect, inject, onTestFinished, test } from 'vitest';
import { hashOf, point, transaction } from '../chain.ts';
import { openPool, operator, ownProxy, ownServer, scratchFolder } from '../own-server.ts';
import {
  candidate,
  fails,
  hinted,
  leaseOf,
  openLeases,
  openOptions,
  renewal,
  request,
  untilFree,
  win,
  wonBy,
} from './node.ts';

const unavailable = fails('ERR_ELECTION_UNAVAILABLE');

test('SCRIPT FLUSH is no reason to lose the lease', async () => {
  const server = await ownServer();
  const store = await openLeases({ url: server.url });
  const lease = await win(store, 'a');
  await operator(server.url).script('FLUSH');
  expect(await store.renew(lease, renewal('a'))).toMatchObject({ kind: 'renewed', lease: { seq: 2 } });
});

test('a full server goes on with the election and with blocks under its lease; only what is received is refused', async () => {
  const server = await ownServer();
  const store = await openLeases({ url: server.url });
  const { store: pool } = await openPool({ url: server.url });
  await pool.receive([1, 2, 3].map((n) => transaction(n, 10_000)));
  const first = await win(store, 'a');
  const admin = operator(server.url);
  await admin.config('SET', 'maxmemory', '100000');
  await assert.rejects(pool.receive([transaction(4)]), { code: 'ERR_MEMPOOL_STORE_FULL' });
  expect(await store.renew(first, renewal('a'))).toMatchObject({ kind: 'renewed' });
  expect(await store.heartbeat(candidate('b'), 10_000)).toMatchObject([{ nodeId: 'a' }, { nodeId: 'b' }]);
  const lease = leaseOf(first);
  const block = { point: point(1), seen: [hashOf(1)], unseen: [] };
  expect(await pool.confirm(block, {}, { lease })).toMatchObject({ kind: 'applied', confirmed: 1 });
  expect(await pool.confirm({ ...block, point: point(2) }, {})).toMatchObject({ kind: 'fenced' });
  expect(await pool.rollback('origin', { lease })).toMatchObject({ kind: 'rolled-back', returned: 1 });
  expect(await store.release(first)).toBe(true);
  const second = await win(store, 'b');
  await admin.del('{mempool}:watcher:lock', '{mempool}:watcher:lease', '{mempool}:watcher:term');
  expect(await store.reinstate(second, renewal('b'))).toMatchObject({ kind: 'renewed', lease: leaseOf(second) });
  await assert.rejects(pool.receive([transaction(4)]), { code: 'ERR_MEMPOOL_STORE_FULL' });
});

test('a frozen server makes every verb reject in the time agreed', async () => {
  const server = await ownServer();
  const lease = await win(await openLeases({ url: server.url }), 'a');
  const store = await openLeases({ url: server.url, commandTimeoutMs: 100 });
  const patient = await openLeases({ url: server.url, commandTimeoutMs: 1_000 });
  server.freeze();
  const began = performance.now();
  let isOver = false;
  const last = patient.observe().catch(() => (isOver = true));
  const calls = [
    store.campaign(request('b')),
    store.renew(lease, renewal('a')),
    store.reinstate(lease, renewal('a')),
    store.release(lease),
    store.observe(),
    store.heartbeat(candidate('a'), 10_000),
    store.members(),
  ];
  await Promise.all(calls.map((call) => assert.rejects(call, unavailable)));
  expect(isOver).toBe(false);
  expect(performance.now() - began).toBeGreaterThan(90);
  await last;
});

test('a campaign that a frozen server carried out late is adopted by its token', async () => {
  const server = await ownServer();
  const watching = await openLeases({ url: server.url });
  const store = await openLeases({ url: server.url, commandTimeoutMs: 200 });
  server.freeze();
  await assert.rejects(store.campaign(request('a')), unavailable);
  server.thaw();
  await expect.poll(() => store.campaign(request('a')).catch(() => null)).toMatchObject({ kind: 'won' });
  const { lease: seen } = await watching.observe();
  expect(seen).toMatchObject({ nodeId: 'a', token: 'token-of-a' });
  expect(seen?.seq).toBeGreaterThanOrEqual(2);
});

test('a release behind a campaign that timed out undoes it, though both are carried out late and the node is gone', async () => {
  const server = await ownServer();
  const watching = await openLeases({ url: server.url });
  const store = await redisElection.open(openOptions({ url: server.url, commandTimeoutMs: 100 }));
  server.freeze();
  await assert.rejects(store.campaign(request('a')), unavailable);
  await assert.rejects(store.release({ nodeId: 'a', token: 'token-of-a' }), unavailable);
  await store.close();
  const released = hinted(watching, 'released');
  server.thaw();
  await released;
  const { lease, term } = await watching.observe();
  expect(lease).toBeNull();
  expect(term).toBeGreaterThan(0);
});

test('a connection that swallows all is given up after one ttl, and the next one is hinted at', async () => {
  const proxy = await ownProxy(inject('redisUrl'));
  const store = await openLeases({ url: proxy.url, pool: randomUUID(), ttlMs: 250, commandTimeoutMs: 50 });
  let back = false;
  void hinted(store, 'reconnected').then(() => {
    back = true;
  });
  proxy.freeze();
  let looks = 0;
  const look = async () => {
    looks += 1;
    await assert.rejects(store.observe(), unavailable);
    return back;
  };
  await expect.poll(look).toBe(true);
  // A connection that is given up much later would be asked more often; how long a look takes is the machine's affair.
  expect(looks).toBeLessThan(20);
});

for (const cut of ['before the request', 'after the request', 'before the reply'] as const)
  test(`a campaign cut ${cut} is rejected, not sent again, and won by the next with its token`, async () => {
    const url = inject('redisUrl');
    const pool = randomUUID();
    const proxy = await ownProxy(url);
    const store = await openLeases({ url: proxy.url, pool });
    const other = await openLeases({ url, pool });
    const back = hinted(store, 'reconnected');
    const cutting = proxy.cutNext(cut);
    await assert.rejects(store.campaign(request('a')), unavailable);
    await cutting;
    await back;
    const happened = cut !== 'before the request';
    if (happened) await expect.poll(async () => (await other.observe()).lease).toMatchObject({ nodeId: 'a', seq: 1 });
    else expect(await other.observe()).toEqual({ lease: null, term: 0 });
    await expect.poll(() => store.campaign(request('a')).catch(() => null)).toMatchObject({ kind: 'won' });
  });

test('a renewal cut before its reply took place, once', async () => {
  const url = inject('redisUrl');
  const pool = randomUUID();
  const proxy = await ownProxy(url);
  const store = await openLeases({ url: proxy.url, pool });
  const lease = await win(store, 'a');
  const back = hinted(store, 'reconnected');
  const cutting = proxy.cutNext('before the reply');
  await assert.rejects(store.renew(lease, renewal('a')), unavailable);
  await Promise.all([cutting, back]);
  expect((await (await openLeases({ url, pool })).observe()).lease).toMatchObject({ ...leaseOf(lease), seq: 2 });
});

test('while the server is away every verb is rejected at once, and works again when the connection is back', async () => {
  const proxy = await ownProxy(inject('redisUrl'));
  const store = await openLeases({ url: proxy.url, pool: randomUUID(), commandTimeoutMs: 30_000 });
  const lease = await win(store, 'a');
  proxy.down();
  await expect.poll(() => store.observe().catch((error: unknown) => error)).toSatisfy(unavailable);
  const began = performance.now();
  await assert.rejects(store.renew(lease, renewal('a')), unavailable);
  // Not after the time that an answer may take.
  expect(performance.now() - began).toBeLessThan(15_000);
  const back = hinted(store, 'reconnected');
  proxy.thaw();
  await back;
  await expect.poll(() => store.renew(lease, renewal('a')).catch(() => null)).toMatchObject({ kind: 'renewed' });
  expect((await store.observe()).lease).toMatchObject(leaseOf(lease));
});

test('messages come again after the connection that listens was cut', async () => {
  const server = await ownServer();
  const store = await openLeases({ url: server.url });
  const admin = operator(server.url);
  const listener = async () => /^id=\d+/.exec(String(await admin.client('LIST', 'TYPE', 'PUBSUB')))?.[0];
  const first = await listener();
  const back = hinted(store, 'reconnected');
  await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await back;
  // The hint may be of the first connection, if that was slow: whether the next one listens is known to the server.
  await expect.poll(async () => [undefined, first].includes(await listener())).toBe(false);
  const acquired = hinted(store, 'acquired');
  await win(store, 'a');
  await acquired;
});

test('a subscription that a frozen server does not answer is asked for again, and what was told meanwhile is looked for', async () => {
  const server = await ownServer();
  const proxy = await ownProxy(server.url);
  const store = await openLeases({ url: proxy.url, commandTimeoutMs: 50 });
  server.freeze();
  const connected = hinted(store, 'reconnected');
  // The system takes new connections in place of the server.
  proxy.thaw();
  await connected;
  const listening = hinted(store, 'reconnected');
  for (let looks = 0; looks < 10; looks++) await assert.rejects(store.observe(), unavailable);
  server.thaw();
  await listening;
  const hints: Hint[] = [];
  store.onHint((hint) => hints.push(hint));
  const other = await openLeases({ url: server.url });
  const release = async () => other.release(await win(other, 'a'));
  await expect.poll(() => release().then(() => hints)).toContain('released');
});

test('a server restarted with its append-only file has the lease, one restarted empty has forgotten all', async () => {
  const server = await ownServer(...durable);
  const store = await openLeases({ url: server.url });
  const lease = await win(store, 'a');
  await server.restart();
  const answer = () => expect.poll(() => store.renew(lease, renewal('a')).catch(() => null));
  await answer().toMatchObject({ kind: 'renewed', lease: leaseOf(lease) });
  await server.kill();
  const empty = await startRedisServer({ dir: scratchFolder(), port: server.port });
  onTestFinished(() => empty.kill());
  await answer().toEqual({ kind: 'lost', lease: null, term: 0 });
  expect(await store.reinstate(lease, renewal('a'))).toMatchObject({ kind: 'renewed', lease: leaseOf(lease) });
});

test('a PEXPIRE of an operator ends the lease no later than it says', async () => {
  const server = await ownServer();
  const store = await openLeases({ url: server.url });
  const { term } = await win(store, 'a');
  await operator(server.url).pexpire('{mempool}:watcher:lock', 1);
  await untilFree(store);
  expect(wonBy(await store.campaign(request('b'))).term).toBe(term + 1);
});

test('open of a server that is not there is unavailable in about a second', async () => {
  const url = `redis://127.0.0.1:${await freePort()}`;
  let nowMs = 0;
  const clock: ElectionClock = {
    ...systemClock,
    monotonicMs: () => nowMs,
    schedule: (callback, delayMs) => {
      nowMs += delayMs;
      const turn = setImmediate(callback);
      return () => clearImmediate(turn);
    },
  };
  await assert.rejects(redisElection.open(openOptions({ url, commandTimeoutMs: 100, clock })), unavailable);
  expect(nowMs).toBeGreaterThanOrEqual(1_000);
  expect(nowMs).toBeLessThan(1_500);
});

test('close rejects what is under way and what comes after, twice is fine, and no connection is left', async () => {
  const server = await ownServer();
  const admin = operator(server.url);
  const connections = async () =>
    String(await admin.client('LIST'))
      .trim()
      .split('\n').length;
  const before = await connections();
  const store = await redisElection.open(openOptions({ url: server.url }));
  expect(await connections()).toBe(before + 2);
  server.freeze();
  const waiting = store.observe();
  await Promise.all([store.close(), assert.rejects(waiting, unavailable)]);
  await store.close();
  await assert.rejects(store.observe(), unavailable);
  server.thaw();
  await expect.poll(connections).toBe(before);
});

test('a connection that listens and is silent, while commands are answered, is made anew in two looks', async () => {
  const server = await ownServer();
  const proxy = await ownProxy(server.url);
  const store = await openLeases({ url: proxy.url });
  const pause = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs));
  for (let times = 0; times < 2; times += 1) {
    await store.observe();
    const back = hinted(store, 'reconnected');
    proxy.silence('subscribe');
    await store.observe();
    // As long as an election waits between two looks.
    await pause(500);
    await store.observe();
    await back;
    const acquired = hinted(store, 'acquired');
    await (await openLeases({ url: server.url })).release(await win(store, 'a'));
    await acquired;
  }
});

test('a connection that is silent from the first word on is made anew too', async () => {
  const server = await ownServer();
  const proxy = await ownProxy(server.url);
  const store = await openLeases({ url: proxy.url });
  proxy.silenceNext('subscribe');
  await operator(server.url).call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  const back = hinted(store, 'reconnected');
  let isBack = false;
  void back.then(() => (isBack = true));
  await expect.poll(() => store.observe().then(() => isBack)).toBe(true);
});
