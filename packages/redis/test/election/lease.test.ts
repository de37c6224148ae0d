import assert from 'node:assert/strict';
import { expect, test } from 'vitest';
import { operator } from '../own-server.ts';
import { candidate, freshLeases, leaseOf, openLeases, renewal, request, ttlMs, untilFree, win } from './node.ts';

const unmoved = ['lock', 'lease', 'term'];

test('a free lease is won, and both its keys say what was agreed', async () => {
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
});

test('a store without a term begins at its own time in seconds, and the next term is one more', async () => {
  const { store, url } = await freshLeases();
  expect(await store.observe()).toEqual({ lease: null, term: 0 });
  const [before] = await operator(url).time();
  const { term } = await win(store, 'a');
  const [after] = await operator(url).time();
  expect(term).toBeGreaterThanOrEqual(Number(before));
  expect(term).toBeLessThanOrEqual(Number(after));
  await store.release({ nodeId: 'a', token: 'token-of-a' });
  expect(await store.observe()).toEqual({ lease: null, term });
  expect((await win(store, 'b')).term).toBe(term + 1);
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

test('a held lease is not won by another token, be it of the same node, and is told of', async () => {
  const { store } = await freshLeases();
  const lease = await win(store, 'a');
  for (const asked of [request('b'), request('a', { token: 'another' })])
    expect(await store.campaign(asked)).toMatchObject({ kind: 'held', lease: leaseOf(lease), term: lease.term });
  expect(await store.observe()).toMatchObject({ lease: { ...leaseOf(lease), seq: 1, hbSeq: 1 }, term: lease.term });
});

test('a campaign whose answer was lost is won again by its token: the same term, a renewal', async () => {
  const { store } = await freshLeases();
  const first = await win(store, 'a');
  const again = await store.campaign(request('a', { floor: first.term }));
  expect(again).toMatchObject({ kind: 'won', lease: { ...leaseOf(first), seq: 2 }, forced: null });
});

test('a renewal begins the time anew and raises seq, a beat hbSeq too', async () => {
  const { store, url, key } = await freshLeases();
  const lease = await win(store, 'a');
  const admin = operator(url);
  await admin.pexpire(key('lock'), 5_000);
  await admin.pexpire(key('lease'), 5_000);
  expect(await store.renew(lease, renewal('a'))).toMatchObject({ kind: 'renewed', lease: { seq: 2, hbSeq: 2 } });
  expect(await admin.pttl(key('lock'))).toBeGreaterThan(5_000);
  expect(await admin.pttl(key('lease'))).toBeGreaterThan(5_000);
  const still = await store.renew(lease, renewal('a', { heartbeat: 'still', ttlMs: 60_000 }));
  expect(still).toMatchObject({ kind: 'renewed', lease: { seq: 3, hbSeq: 2 } });
  expect(await admin.pttl(key('lock'))).toBeGreaterThan(50_000);
  expect(await admin.hget(key('lease'), 'ttl')).toBe('60000');
});

test('a lease that is not this very one is not renewed, and the live one is told', async () => {
  const { store } = await freshLeases();
  const lease = await win(store, 'a');
  const others = [
    { ...lease, nodeId: 'b' },
    { ...lease, token: 'another' },
    { ...lease, term: lease.term + 1 },
  ];
  for (const other of others) {
    const reply = await store.renew(other, renewal(other.nodeId));
    expect(reply).toMatchObject({ kind: 'lost', lease: { ...leaseOf(lease), seq: 1 }, term: lease.term });
  }
});

test('a lease ends by itself; then it is not renewed, and the next one is won', async () => {
  const { store } = await freshLeases();
  const lease = await win(store, 'a', { ttlMs: 250 });
  await untilFree(store);
  expect(await store.renew(lease, renewal('a'))).toEqual({ kind: 'lost', lease: null, term: lease.term });
  expect((await win(store, 'b')).term).toBe(lease.term + 1);
});

test('only node id and token release a lease, and the term stays', async () => {
  const { store, url, key } = await freshLeases();
  const lease = await win(store, 'a');
  expect(await store.release({ nodeId: 'a', token: 'another' })).toBe(false);
  expect(await store.release({ nodeId: 'b', token: lease.token })).toBe(false);
  expect((await store.observe()).lease).toMatchObject(leaseOf(lease));
  expect(await store.release(lease)).toBe(true);
  expect(await store.release(lease)).toBe(false);
  expect(await operator(url).exists(...unmoved.map(key))).toBe(1);
  expect(await store.observe()).toEqual({ lease: null, term: lease.term });
});

test('a lease that is out of its time is released too, and nothing of another one', async () => {
  const { store, url, key } = await freshLeases();
  const lease = await win(store, 'a');
  await operator(url).set(key('lock'), 'another');
  expect(await store.release(lease)).toBe(true);
  expect(await operator(url).get(key('lock'))).toBe('another');
  expect(await operator(url).exists(key('lease'))).toBe(0);
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

test('a stale lease is taken over only while it has not moved', async () => {
  const { store } = await freshLeases();
  const lease = await win(store, 'a');
  const { token } = lease;
  await store.renew(lease, renewal('a', { heartbeat: 'still' }));
  const moved = [
    { token, seq: 1 },
    { token: 'another', seq: 2 },
    { token, hbSeq: 2 },
    { token, seq: 2, hbSeq: 2 },
  ];
  for (const takeover of moved)
    expect(await store.campaign(request('b', { takeover }))).toMatchObject({ kind: 'held' });
  const reply = await store.campaign(request('b', { takeover: { token, hbSeq: 1 } }));
  expect(reply).toMatchObject({
    kind: 'won',
    lease: { nodeId: 'b', term: lease.term + 1 },
    forced: { ...leaseOf(lease), seq: 2, hbSeq: 1 },
  });
  expect(await store.renew(lease, renewal('a'))).toMatchObject({ kind: 'lost', lease: { nodeId: 'b' } });
});

test('a takeover of a lease that is free by now is a plain win', async () => {
  const { store } = await freshLeases();
  const lease = await win(store, 'a');
  await store.release(lease);
  const reply = await store.campaign(request('b', { takeover: { token: lease.token, seq: 1 } }));
  expect(reply).toMatchObject({ kind: 'won', forced: null });
});

test('a store that has forgotten its term is left alone, and nothing is written, until data loss is accepted', async () => {
  const { store, url, key } = await freshLeases();
  const { term } = await win(store, 'a');
  const admin = operator(url);
  await admin.del(...unmoved.map(key));
  expect(await store.campaign(request('b', { floor: term }))).toEqual({ kind: 'forgotten', term: 0 });
  expect(await admin.exists(...unmoved.map(key))).toBe(0);
  expect(await win(store, 'b', { floor: term + 100, dataLoss: 'accept' })).toMatchObject({ term: term + 101 });
});

test('a lease is put back only where there is no lock and the term is below', async () => {
  const { store, url, key } = await freshLeases();
  const lease = await win(store, 'a', { floor: 5_000_000_000, dataLoss: 'accept' });
  const admin = operator(url);
  await admin.del(key('lock'), key('lease'));
  expect(await store.reinstate(lease, renewal('a'))).toMatchObject({ kind: 'lost', term: lease.term });
  await admin.del(key('term'));
  await admin.set(key('lock'), 'ghost');
  expect(await store.reinstate(lease, renewal('a'))).toMatchObject({ kind: 'lost', lease: null });
  const other = await win(store, 'b');
  expect(other.term).toBeLessThan(lease.term);
  expect(await store.reinstate(lease, renewal('a'))).toMatchObject({ kind: 'lost', lease: leaseOf(other) });
  await store.release(other);
  expect(await store.reinstate(lease, renewal('a'))).toMatchObject({ kind: 'renewed', lease: leaseOf(lease) });
  expect(await store.observe()).toMatchObject({ lease: leaseOf(lease), term: lease.term });
  expect(await admin.get(key('lock'))).toBe('a');
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

test('of fifty campaigns at once one is won', async () => {
  const { store, url, pool } = await freshLeases();
  const stores = [store, ...(await Promise.all([1, 2, 3, 4].map(() => openLeases({ url, pool }))))];
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, n) => (stores[n % 5] ?? store).campaign(request(`node-${n}`))),
  );
  const winners = replies.filter(({ kind }) => kind === 'won');
  assert.equal(winners.length, 1);
  expect(new Set(replies.map((reply) => reply.kind !== 'forgotten' && reply.lease.token)).size).toBe(1);
});

test('elections of different names, and of different pools, have leases of their own', async () => {
  const { store, url, pool } = await freshLeases();
  await win(store, 'a');
  await win(await openLeases({ url, pool, name: 'other' }), 'b');
  await win(await openLeases({ url, keyPrefix: `${pool}:x` }), 'c');
  expect((await store.observe()).lease?.nodeId).toBe('a');
});

test('who wins and who releases is told to the others', async () => {
  const { store, url, pool } = await freshLeases();
  const other = await openLeases({ url, pool });
  const hints: string[] = [];
  const off = other.onHint((hint) => hints.push(hint));
  const lease = await win(store, 'a');
  await expect.poll(() => hints).toEqual(['acquired']);
  await store.release(lease);
  await expect.poll(() => hints).toEqual(['acquired', 'released']);
  off();
  const witness: string[] = [];
  other.onHint((hint) => witness.push(hint));
  await win(store, 'a', { token: 'second' });
  await expect.poll(() => witness).toEqual(['acquired']);
  expect(hints).toHaveLength(2);
});
