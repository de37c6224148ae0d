import { join } from 'node:path';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { hostClock } from '../../src/election/lease-clock.ts';
import { report } from '../program.ts';
import { bid, openLeases, StandingClock, ttlMs, win } from './node.ts';

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
