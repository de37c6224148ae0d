import { expect, test } from 'vitest';
import { operator } from '../own-server.ts';
import { candidate, freshLeases, renewal, request, ttlMs, win } from './node.ts';

const unmoved = ['lock', 'lease', 'term'];

// What every lease store does are the conformance cases LE1 to LE6. Here are the keys, and what an operator may do to them.

test('both keys of a lease that was won say what was agreed; a release leaves the term alone', async () => {
  const { store, url, key } = await freshLeases();
  const lease = await win(store, 'a');
  expect(lease).toMatchObject({ nodeId: 'a', token: 'token-of-a', seq: 1, address: 'a.example:3000', priority: 7 });
  expect(lease.remainingMs).toBeGreaterThan(ttlMs - 2_000);
  const admin = operator(url);
  expect(await admin.get(key('lock'))).toBe('a');
  expect(await admin.pttl(key('lock'))).toBeGreaterThan(ttlMs - 5_000);
  const fields = await admin.hgetall(key('lease'));
  expect(Object.keys(fields).sort()).toEqual(
    ['addr', 'hbAt', 'hbSeq', 'id', 'priority', 'seq', 'term', 'token', 'ttl'].sort(),
  );
  expect(fields).toMatchObject({ id: 'a', token: 'token-of-a', term: String(lease.term), ttl: String(ttlMs) });
  expect(await admin.pttl(key('lease'))).toBeGreaterThan(ttlMs - 5_000);
  expect(await admin.get(key('term'))).toBe(String(lease.term));
  expect(await admin.ttl(key('term'))).toBe(-1);
  expect(await store.release(lease)).toBe(true);
  expect(await admin.exists(...unmoved.map(key))).toBe(1);
});

test('a term is above the floor, and large numbers are written digit by digit', async () => {
  const { store, url, key } = await freshLeases();
  const floor = 2 ** 53 - 3;
  const { term } = await win(store, 'a', { floor, dataLoss: 'accept' });
  expect(term).toBe(floor + 1);
  expect(await operator(url).get(key('term'))).toBe('9007199254740990');
  expect(await operator(url).hget(key('lease'), 'term')).toBe('9007199254740990');
  expect(await store.renew({ nodeId: 'a', token: 'token-of-a', term }, renewal('a'))).toMatchObject({
    kind: 'renewed',
  });
});

test('an operator who deletes the lock ends the lease at once', async () => {
  const { store, url, key } = await freshLeases();
  const lease = await win(store, 'a');
  await operator(url).del(key('lock'));
  expect(await store.observe()).toEqual({ lease: null, term: lease.term });
  expect(await store.renew(lease, renewal('a'))).toEqual({ kind: 'lost', lease: null, term: lease.term });
  expect(await store.reinstate(lease, renewal('a'))).toEqual({ kind: 'lost', lease: null, term: lease.term });
  expect((await win(store, 'b')).term).toBe(lease.term + 1);
});

test('a lock without a lease, and a lease without a lock, are held by nobody and cleaned away by the next winner', async () => {
  const { store, url, key } = await freshLeases();
  const admin = operator(url);
  await admin.set(key('lock'), 'ghost');
  expect((await store.observe()).lease).toBeNull();
  const absent = { nodeId: 'b', token: 'token-of-b', term: 5_000_000_000 };
  expect(await store.reinstate(absent, renewal('b'))).toMatchObject({ kind: 'lost', lease: null });
  const { term } = await win(store, 'a');
  await admin.hset(key('lease'), 'id', 'ghost');
  expect((await store.observe()).lease).toBeNull();
  expect(await win(store, 'b')).toMatchObject({ term: term + 1 });
  expect([await admin.get(key('lock')), await admin.hget(key('lease'), 'id')]).toEqual(['b', 'b']);
});

test('a lock that an operator made lasting is held, for nobody knows how long, until a renewal', async () => {
  const { store, url, key } = await freshLeases();
  const lease = await win(store, 'a');
  await operator(url).persist(key('lock'));
  expect((await store.observe()).lease).toMatchObject({ nodeId: 'a', remainingMs: null });
  expect(await store.campaign(request('b'))).toMatchObject({ kind: 'held' });
  expect(await store.renew(lease, renewal('a'))).toMatchObject({ kind: 'renewed' });
  expect((await store.observe()).lease?.remainingMs).toBeGreaterThan(0);
});

test('a lease that was put back is told again where the answer was lost, and has no seq that it had before', async () => {
  const { store, url, key } = await freshLeases();
  const { token, seq, hbSeq, ...lease } = await win(store, 'a');
  await operator(url).del(...unmoved.map(key));
  const back = await store.reinstate({ token, ...lease }, renewal('a'));
  expect(await store.campaign(request('b', { takeover: { token, seq } }))).toMatchObject({ kind: 'held' });
  expect(await store.campaign(request('b', { takeover: { token, hbSeq } }))).toMatchObject({ kind: 'held' });
  const again = await store.reinstate({ token, ...lease }, renewal('a'));
  expect(again).toMatchObject({ kind: 'renewed', lease: { token, seq: (back.lease?.seq ?? 0) + 1 } });
});

test('a term that an operator deleted is known from the lease, and written again by a renewal', async () => {
  const { store, url, key } = await freshLeases();
  const lease = await win(store, 'a');
  await operator(url).del(key('term'));
  expect(await store.observe()).toMatchObject({ term: lease.term });
  await store.renew(lease, renewal('a'));
  expect(await operator(url).get(key('term'))).toBe(String(lease.term));
});

test('heartbeats list the members with address and priority; whoever acquires trims those not heard of', async () => {
  const { store, url, key } = await freshLeases();
  await store.heartbeat({ nodeId: 'a', address: null, priority: 0 }, ttlMs);
  expect(await store.heartbeat(candidate('b'), ttlMs)).toMatchObject([
    { nodeId: 'a', address: null, priority: 0, alive: true },
    { nodeId: 'b', address: 'b.example:3000', priority: 7, alive: true },
  ]);
  const admin = operator(url);
  expect(await admin.get(key('heartbeat:b'))).toBe('7 b.example:3000');
  expect(await admin.pttl(key('heartbeat:b'))).toBeGreaterThan(ttlMs);
  await admin.del(key('heartbeat:b'));
  await admin.zadd(key('members'), 1_000, 'b');
  const [gone, here] = await store.members();
  expect(gone).toMatchObject({ nodeId: 'b', address: null, alive: false });
  expect(gone?.ageMs).toBeGreaterThan(1_000_000_000);
  expect(here?.ageMs).toBeLessThan(ttlMs);
  await win(store, 'c');
  expect((await store.members()).map(({ nodeId }) => nodeId)).toEqual(['a', 'c']);
});
