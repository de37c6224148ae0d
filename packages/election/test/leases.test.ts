import type { LeaseSource } from 'mempool-core/backend';
import { expect, it } from 'vitest';
import { Leases } from '../src/in-process/leases.ts';

const candidate = { nodeId: 'a', address: null, priority: 0 };
const request = { candidate, ttlMs: 1_000, floor: 0, dataLoss: 'wait', takeover: null } as const;

it('a backend in memory reads the live lease, and none once it was released', async () => {
  const leases = new Leases();
  const source: LeaseSource = leases;
  const store = leases.open('watcher');
  expect(source.held('watcher')).toBeNull();
  const won = await store.campaign({ ...request, token: 't' });
  expect(won).toMatchObject({ kind: 'won', lease: { nodeId: 'a', token: 't', seq: 1 } });
  expect(source.held('watcher')).toEqual({ nodeId: 'a', token: 't', term: won.kind === 'won' && won.lease.term });
  expect(source.held('another')).toBeNull();
  expect(await store.release({ nodeId: 'a', token: 't' })).toBe(true);
  expect(source.held('watcher')).toBeNull();
});

it('a lease that was put back and not heard of is renewed', async () => {
  const store = new Leases().open('watcher');
  const lease = { nodeId: 'a', token: 't', term: 5 };
  const renewal = { candidate, ttlMs: 1_000, heartbeat: 'beat' } as const;
  const back = await store.reinstate(lease, renewal);
  const { seq = 0, hbSeq = 0 } = back.lease ?? {};
  expect(back).toMatchObject({ kind: 'renewed', lease });
  const again = await store.reinstate(lease, renewal);
  expect(again).toMatchObject({ kind: 'renewed', lease: { seq: seq + 1, hbSeq: hbSeq + 1 } });
});
