import { expect, it } from 'vitest';
import { Leases } from '../src/in-process/leases.ts';

const candidate = { nodeId: 'a', address: null, priority: 0 };

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
