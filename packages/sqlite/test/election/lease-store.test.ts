import { join } from 'node:path';
import type { LeaseStore, RenewRequest } from 'mempool-election';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { hostClock } from '../../src/election/lease-clock.ts';
import { report } from '../program.ts';
import { bid, openLeases, StandingClock, ttlMs, win } from './node.ts';

// What every lease store does are the conformance cases LE1 to LE6. Here is what a clock that stands can show to the millisecond,
// and what a file alone can hold.

const beat: RenewRequest = { candidate: bid('a').candidate, ttlMs, heartbeat: 'beat' };

/** Two nodes of an election that share a clock. */
async function pair(clock = new StandingClock('this boot')): Promise<[LeaseStore, LeaseStore, StandingClock]> {
  const path = join(scratchFolder(), 'pool.db');
  return [await openLeases(path, { clock }), await openLeases(path, { clock }), clock];
}

test('a lease that was put back and not heard of is renewed, and comes to no seq that it had before', async () => {
  const [a] = await pair();
  const lease = { nodeId: 'b', token: 'token-of-b', term: 5 };
  const request: RenewRequest = { ...beat, candidate: bid('b').candidate };
  const back = await a.reinstate(lease, request);
  const { seq = 0, hbSeq = 0 } = back.lease ?? {};
  expect(Math.min(seq, hbSeq)).toBeGreaterThan(1_000_000);
  expect(await a.reinstate(lease, request)).toMatchObject({ kind: 'renewed', lease: { ...lease, seq: seq + 1 } });
});

test('a member is alive for its ttl and 5 s to the millisecond; a winner removes those that are not', async () => {
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

test('a closed store refuses every verb as out of reach', async () => {
  const [a] = await pair();
  await a.close();
  for (const call of [() => a.observe(), () => a.campaign(bid('a')), () => a.heartbeat(bid('a').candidate, ttlMs)])
    await expect(call()).rejects.toMatchObject({ code: 'ERR_ELECTION_UNAVAILABLE' });
});

for (const [what, first, second] of [
  ['of another boot or time namespace', 'one boot', 'another boot'],
  ['that cannot be named', null, null],
] as const)
  test(`the time of a clock ${what} says nothing: the lease is held until it was seen not to move`, async () => {
    const path = join(scratchFolder(), 'pool.db');
    const [clock, other] = [new StandingClock(first), new StandingClock(second)];
    const [a, b] = [await openLeases(path, { clock }), await openLeases(path, { clock: other })];
    const lease = await win(a, 'a');
    await a.heartbeat(bid('a').candidate, ttlMs);
    other.advance(100 * ttlMs);
    expect(await b.observe()).toEqual({ lease: { ...lease, remainingMs: null }, term: lease.term });
    expect(await b.campaign(bid('b'))).toMatchObject({ kind: 'held', lease: { remainingMs: null } });
    const takeover = { token: lease.token, seq: lease.seq };
    expect(await b.campaign(bid('b', { takeover }))).toMatchObject({ kind: 'won', lease: { term: lease.term + 1 } });
  });

test('the clock is the same one in every process of the host', async () => {
  const { id, nowMs } = hostClock();
  const before = nowMs();
  const other = (await report('./election/print-clock.ts', [])) as { readonly id: string; readonly nowMs: number };
  expect(other.id).toBe(id);
  expect(other.nowMs).toBeGreaterThanOrEqual(before);
  expect(other.nowMs).toBeLessThanOrEqual(nowMs());
});
