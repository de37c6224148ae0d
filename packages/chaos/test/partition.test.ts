import { ownProxy } from 'mempool-testkit/vitest';
import { expect, inject, test } from 'vitest';
import { startCluster } from './cluster.ts';

for (const cut of ['freeze', 'down'] as const)
  test(`a leader cut off (${cut}) says lost by itself, leads no more when another one wins, and follows when it is healed`, async () => {
    const url = inject('redisUrl');
    const proxy = await ownProxy(url);
    const cluster = await startCluster({ url, ttlMs: 4_000, blocks: 2 });
    const a = await cluster.leader('a', { url: proxy.url });
    const b = await cluster.follower('b');
    expect(await a.call('confirm', 1)).toMatchObject({ kind: 'applied' });
    const healed = cluster.fault('cut off', { target: a });
    proxy[cut]();
    const won = await cluster.until('acquired', ({ nodeId }) => nodeId === 'b');
    const lost = await cluster.until('lost', ({ nodeId }) => nodeId === 'a');
    // Still cut off, it says so by itself; since when it has been so, and that this was before the win, is in the record.
    expect(lost.reason).toBe('expired');
    expect(await a.call('status')).toMatchObject({ isLeader: false, remainingMs: 0 });
    proxy.thaw();
    healed();
    await cluster.until('leader-changed', ({ nodeId, leader }) => nodeId === 'a' && leader?.nodeId === 'b');
    expect(await a.call('status')).toMatchObject({ state: 'follower', term: won.term });
    expect(await a.call('confirm', 2)).toMatchObject({ kind: 'fenced', tip: { tick: 1 } });
    expect(await b.call('confirm', 2)).toMatchObject({ kind: 'applied' });
    await cluster.conclude();
  });
