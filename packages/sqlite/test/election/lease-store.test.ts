import { join } from 'node:path';
import type { LeaseStore, RenewRequest } from 'mempool-election';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { bid, openLeases, StandingClock, ttlMs, win } from './node.ts';

const beat: RenewRequest = { candidate: bid('a').candidate, ttlMs, heartbeat: 'beat' };

/** Two nodes of an election that share a clock. */
async function pair(clock = new StandingClock('this boot')): Promise<[LeaseStore, LeaseStore, StandingClock]> {
  const path = join(scratchFolder(), 'pool.db');
  return [await openLeases(path, { clock }), await openLeases(path, { clock }), clock];
}

test('a free lease is won once: the other node is told who holds it', async () => {
  const [a, b] = await pair();
  const { term } = await win(a, 'a', { candidate: { nodeId: 'a', address: 'host:1', priority: 7 } });
  const told = { nodeId: 'a', token: 'token-of-a', term, seq: 1, hbSeq: 1, address: 'host:1', priority: 7 };
  const lease = { ...told, remainingMs: ttlMs };
  expect(await b.campaign(bid('b'))).toEqual({ kind: 'held', lease, term });
  expect(await b.observe()).toEqual({ lease, term });
});

test('a term begins at the time in seconds and rises with every win, also over a release and a higher floor', async () => {
  const [a, b] = await pair();
  const nowSeconds = Date.now() / 1000;
  const { term } = await win(a, 'a');
  expect(Math.abs(term - nowSeconds)).toBeLessThan(60);
  expect(await a.release({ nodeId: 'a', token: 'token-of-a' })).toBe(true);
  expect(await b.observe()).toEqual({ lease: null, term });
  expect(await win(b, 'b')).toMatchObject({ term: term + 1 });
  await b.release({ nodeId: 'b', token: 'token-of-b' });
  expect(await win(a, 'a', { floor: term + 10, dataLoss: 'accept' })).toMatchObject({ term: term + 11 });
});

test('a lease out of its time is held by nobody: its holder cannot renew it, and anybody may win', async () => {
  const [a, b, clock] = await pair();
  const lease = await win(a, 'a');
  clock.advance(ttlMs - 1);
  expect(await b.campaign(bid('b'))).toMatchObject({ kind: 'held', lease: { remainingMs: 1 } });
  clock.advance(1);
  expect(await b.observe()).toEqual({ lease: null, term: lease.term });
  expect(await a.renew(lease, beat)).toEqual({ kind: 'lost', lease: null, term: lease.term });
  expect(await b.campaign(bid('b'))).toMatchObject({ kind: 'won', forced: null, lease: { term: lease.term + 1 } });
});

test('a renewal begins the time anew and raises seq; only one with a beat raises hbSeq', async () => {
  const [a, , clock] = await pair();
  const lease = await win(a, 'a');
  clock.advance(ttlMs - 1);
  const renewed = await a.renew(lease, beat);
  expect(renewed).toEqual({ kind: 'renewed', lease: { ...lease, seq: 2, hbSeq: 2, remainingMs: ttlMs } });
  const still = await a.renew(lease, { ...beat, heartbeat: 'still' });
  expect(still).toEqual({ kind: 'renewed', lease: { ...lease, seq: 3, hbSeq: 2, remainingMs: ttlMs } });
});

test('only the very lease is renewed and released: not one of another node, token or term', async () => {
  const [a, b] = await pair();
  const lease = await win(a, 'a');
  for (const wrong of [{ nodeId: 'b' }, { token: 'other' }, { term: lease.term + 1 }])
    expect(await b.renew({ ...lease, ...wrong }, beat)).toMatchObject({ kind: 'lost', lease: { seq: 1 } });
  for (const wrong of [{ nodeId: 'b' }, { token: 'other' }])
    expect(await b.release({ ...lease, ...wrong })).toBe(false);
  expect(await b.observe()).toEqual({ lease, term: lease.term });
});

test('a campaign whose answer was lost is won again by its token, in the same term', async () => {
  const [a, b] = await pair();
  const lease = await win(a, 'a');
  expect(await a.campaign(bid('a'))).toMatchObject({ kind: 'won', lease: { term: lease.term, seq: 2 }, forced: null });
  expect(await b.campaign(bid('b', { token: lease.token }))).toMatchObject({ kind: 'held' });
});

test('a lease that did not move is taken over by compare-and-set; one that moved is not', async () => {
  const [a, b] = await pair();
  const lease = await win(a, 'a');
  await a.renew(lease, beat);
  const seen = { token: lease.token, seq: 1 };
  const { token } = lease;
  for (const takeover of [seen, { token, hbSeq: 1 }, { token, seq: 2, hbSeq: 1 }, { token: 'other', seq: 2 }])
    expect(await b.campaign(bid('b', { takeover }))).toMatchObject({ kind: 'held' });
  const taken = await b.campaign(bid('b', { takeover: { token, seq: 2 } }));
  expect(taken).toMatchObject({ kind: 'won', forced: { nodeId: 'a', seq: 2 }, lease: { term: lease.term + 1 } });
  expect(await a.renew(lease, beat)).toMatchObject({ kind: 'lost', lease: { nodeId: 'b' } });
});

test('a store whose term is below what a node saw is left alone, until the node accepts the loss', async () => {
  const [a] = await pair();
  const floor = Math.floor(Date.now() / 1000) + 1_000;
  expect(await a.campaign(bid('a', { floor }))).toEqual({ kind: 'forgotten', term: 0 });
  expect(await a.observe()).toEqual({ lease: null, term: 0 });
  expect(await win(a, 'a', { floor, dataLoss: 'accept' })).toMatchObject({ term: floor + 1 });
});

test('a lease is reinstated only where none is held and the term is below its own', async () => {
  const [a, b, clock] = await pair();
  const { term } = await win(a, 'a');
  const lease = { nodeId: 'b', token: 'token-of-b', term: term + 5 };
  const request: RenewRequest = { ...beat, candidate: bid('b').candidate };
  expect(await b.reinstate(lease, request)).toMatchObject({ kind: 'lost', lease: { nodeId: 'a' }, term });
  clock.advance(ttlMs);
  expect(await b.reinstate({ ...lease, term }, request)).toEqual({ kind: 'lost', lease: null, term });
  expect(await b.reinstate(lease, request)).toMatchObject({ kind: 'renewed', lease });
  expect(await a.observe()).toMatchObject({ lease, term: lease.term });
});

test('a lease that was put back and not heard of is renewed, and comes to no seq that it had before', async () => {
  const [a] = await pair();
  const lease = { nodeId: 'b', token: 'token-of-b', term: 5 };
  const request: RenewRequest = { ...beat, candidate: bid('b').candidate };
  const back = await a.reinstate(lease, request);
  const { seq = 0, hbSeq = 0 } = back.lease ?? {};
  expect(Math.min(seq, hbSeq)).toBeGreaterThan(1_000_000);
  expect(await a.reinstate(lease, request)).toMatchObject({ kind: 'renewed', lease: { ...lease, seq: seq + 1 } });
});

test('members are listed with the age of their last heartbeat; whoever wins removes those out of their time', async () => {
  const [a, b, clock] = await pair();
  expect(await a.heartbeat({ nodeId: 'a', address: 'host:1', priority: 3 }, ttlMs)).toHaveLength(1);
  clock.advance(ttlMs + 4_999);
  await b.heartbeat(bid('b').candidate, ttlMs);
  const [old, young] = await b.members();
  expect(old).toEqual({ nodeId: 'a', address: 'host:1', priority: 3, ageMs: ttlMs + 4_999, alive: true });
  expect(young).toMatchObject({ nodeId: 'b', ageMs: 0, alive: true });
  clock.advance(1);
  expect(await b.members()).toMatchObject([{ nodeId: 'a', alive: false }, { nodeId: 'b' }]);
  await win(b, 'b');
  expect(await b.members()).toMatchObject([{ nodeId: 'b', alive: true }]);
});

test('elections of one file know nothing of each other', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const [first, second] = [await openLeases(path, { name: 'first' }), await openLeases(path, { name: 'second' })];
  const one = await win(first, 'a');
  const two = await win(second, 'b');
  await first.release(one);
  expect(await first.observe()).toEqual({ lease: null, term: one.term });
  expect(await second.observe()).toMatchObject({ lease: { nodeId: 'b' }, term: two.term });
});

test('a closed store refuses every verb as out of reach', async () => {
  const [a] = await pair();
  await a.close();
  const refused = { code: 'ERR_ELECTION_UNAVAILABLE' };
  await expect(a.observe()).rejects.toMatchObject(refused);
  await expect(a.campaign(bid('a'))).rejects.toMatchObject(refused);
  await expect(a.heartbeat(bid('a').candidate, ttlMs)).rejects.toMatchObject(refused);
});
