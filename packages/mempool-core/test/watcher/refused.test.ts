import { MempoolError } from 'mempool-core';
import { describe, expect, it } from 'vitest';
import { branchFrom, ScriptedChain } from './scripted-chain.ts';
import { eventually, WatchedPool } from './watched-pool.ts';

describe('a leader that was refused and leads on', () => {
  it('was fenced, and applies the block when it has its lease back, though no other block comes', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2] = branchFrom(null, 0, 2);
    const chain = new ScriptedChain(b1);
    const node = await pool.watch('a', chain);
    const lease = node.election.win();
    await node.told('ready');
    pool.elections.put(null);
    chain.grow(b2);
    await node.told('fenced');
    await pool.has(b1);
    pool.elections.put(lease);
    await eventually(() => pool.has(b1, b2));
  });

  it('was in doubt of itself, and goes on when it is not', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2] = branchFrom(null, 0, 2);
    const chain = new ScriptedChain(b1);
    const node = await pool.watch('a', chain);
    node.election.win();
    await node.told('ready');
    node.election.valid = () => false;
    chain.grow(b2);
    await eventually(() => expect(node.lines).toContain('lost watcher lock, skipping confirm'));
    await pool.has(b1);
    node.election.valid = () => true;
    await eventually(() => pool.has(b1, b2));
  });

  it('asks with pauses, and no more when its leadership is over', async () => {
    await using pool = await WatchedPool.open();
    const [b1] = branchFrom(null, 0, 1);
    const node = await pool.watch('a', new ScriptedChain(b1));
    await node.told('skipped');
    node.election.win();
    pool.elections.give('b');
    const before = performance.now();
    await node.told('fenced', 3);
    expect(performance.now() - before).toBeGreaterThan(1_000);
    await node.election.lose();
    const asked = pool.tap.calls.length;
    await node.watcher.stop();
    expect(pool.tap.calls).toHaveLength(asked);
    await pool.has();
  });
});

describe('a leader', () => {
  it('whose pool lost all of its blocks gives it the chain from the beginning', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2, b3] = branchFrom(null, 0, 3);
    const chain = new ScriptedChain(b1, b2);
    const node = await pool.watch('a', chain);
    const lease = node.election.win();
    await node.told('applied', 2);
    await pool.store.rollback(null, { lease });
    chain.grow(b3);
    await eventually(() => pool.has(b1, b2, b3));
  });

  it('whose election does not resign at once does not lead on without applying anything', async () => {
    await using pool = await WatchedPool.open();
    const [b1] = branchFrom(null, 0, 1);
    const node = await pool.watch('a', new ScriptedChain(b1));
    await node.told('skipped');
    const { election } = node;
    const resign = election.resign.bind(election);
    let failures = 0;
    election.resign = async () => {
      failures += 1;
      if (failures < 3) throw new Error('the store of the leases is away');
      return resign();
    };
    pool.tap.before('confirm', () => {
      if (failures === 0) throw new MempoolError('ERR_MEMPOOL_INTERNAL', 'a fault of the backend');
    });
    election.win();
    await node.told('failed');
    await eventually(() => expect(election.lease).toBeNull());
    election.win();
    await eventually(() => pool.has(b1));
  });

  it('that gave up for a block no pool takes has it again from the source that was put right', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2] = branchFrom(null, 0, 2);
    const chain = new ScriptedChain(b1, { ...b2, seen: ['no hash'] });
    const node = await pool.watch('a', chain);
    node.election.win();
    await node.told('failed');
    await eventually(() => expect(node.election.lease).toBeNull());
    chain.forget(b1);
    chain.grow(b2);
    chain.cut();
    await eventually(() => expect(chain.readers).toBe(1));
    node.election.win();
    await eventually(() => pool.has(b1, b2));
  });
});
