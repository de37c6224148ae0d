import { describe, expect, it } from 'vitest';
import { rest } from '../mempool/tap.ts';
import { branchFrom, ScriptedChain } from './scripted-chain.ts';
import { eventually, WatchedPool } from './watched-pool.ts';

describe('a leader whose chain ends before the tip waits and undoes nothing, also where it', () => {
  it('has no block yet', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2, b3] = branchFrom(null, 0, 3);
    const chain = new ScriptedChain();
    const node = await pool.watch('a', chain);
    await eventually(() => expect(chain.readers).toBe(1));
    await pool.apply(b1, b2);
    node.election.win();
    await eventually(() => expect(pool.tap.calls).toContain('tip'));
    await rest();
    chain.grow(b1, b2, b3);
    await eventually(() => pool.has(b1, b2, b3));
    expect(node.kinds()).toEqual(['ready', 'applied']);
    expect(chain.searches).toHaveLength(1);
  });

  it('is further behind than its ring is long', async () => {
    await using pool = await WatchedPool.open();
    const blocks = branchFrom(null, 0, 8);
    await pool.apply(...blocks.slice(0, 7));
    const chain = new ScriptedChain(...blocks.slice(0, 2));
    const node = await pool.watch('a', chain, { ringSize: 2 });
    node.election.win();
    await node.told('ready');
    chain.grow(...blocks.slice(2));
    await eventually(() => pool.has(...blocks));
    expect(node.kinds()).toEqual(['ready', 'applied']);
  });

  it('ends before all that the pool has kept, and is not ready there', async () => {
    await using pool = await WatchedPool.open({ maxRollback: 2 });
    const blocks = branchFrom(null, 0, 9);
    const chain = new ScriptedChain(...blocks.slice(0, 2));
    const node = await pool.watch('a', chain);
    await node.told('skipped', 2);
    await pool.apply(...blocks.slice(0, 8));
    const asked = pool.tap.calls.length;
    node.election.win();
    await eventually(() => expect(pool.tap.calls.length).toBeGreaterThan(asked));
    await rest();
    expect(node.kinds().slice(2)).toEqual([]);
    chain.grow(...blocks.slice(2));
    await node.told('applied');
    expect(await pool.store.tip()).toMatchObject({ point: blocks.at(-1)?.point, tick: 9 });
    expect(node.kinds().slice(2)).toEqual(['ready', 'applied']);
    expect(chain.searches).toHaveLength(1);
  });
});

it('a leader goes over to a branch that begins deeper than its ring is long', async () => {
  await using pool = await WatchedPool.open();
  const blocks = branchFrom(null, 0, 8);
  const others = branchFrom(blocks[1], 1, 7);
  await pool.apply(...blocks);
  const node = await pool.watch('a', new ScriptedChain(blocks[0], blocks[1], ...others), { ringSize: 2 });
  node.election.win();
  await eventually(() => pool.has(blocks[0], blocks[1], ...others));
  expect(node.kinds()).not.toContain('diverged');
});

it('a leader goes over to a branch that begins deeper than its ring is long, also where it applied the old one itself', async () => {
  await using pool = await WatchedPool.open();
  const blocks = branchFrom(null, 0, 8);
  const [under] = blocks;
  const others = branchFrom(under, 1, 8);
  const chain = new ScriptedChain(...blocks);
  const node = await pool.watch('a', chain, { ringSize: 2 });
  node.election.win();
  await eventually(() => pool.has(...blocks));
  // Nothing that it saw is on the source's chain when it is asked again; what the pool has of it is older than the ring.
  chain.cut();
  chain.forget(under);
  chain.grow(...others);
  await eventually(() => pool.has(under, ...others));
  expect(node.kinds()).not.toContain('diverged');
  expect(node.election.resigned).toBe(0);
});

describe('a leader is not ready before the pool has what this node has seen', () => {
  it('also where it lost and won again while the source was asked', async () => {
    await using pool = await WatchedPool.open();
    const blocks = branchFrom(null, 0, 8);
    await pool.apply(blocks[0], blocks[1]);
    const chain = new ScriptedChain(...blocks);
    const node = await pool.watch('a', chain, { ringSize: 3 });
    await node.told('skipped', 6);
    const gate = Promise.withResolvers<void>();
    chain.before = () => gate.promise;
    node.election.win();
    await eventually(() => expect(chain.searches).toHaveLength(2));
    await node.election.lose();
    node.election.win();
    gate.resolve();
    await node.told('ready');
    expect(node.kinds().slice(6)).toEqual([...Array(6).fill('applied'), 'ready']);
  });

  it('also where its source came back with less', async () => {
    await using pool = await WatchedPool.open();
    const blocks = branchFrom(null, 0, 4);
    const chain = new ScriptedChain(...blocks);
    const node = await pool.watch('a', chain);
    await node.told('skipped', 4);
    chain.cut();
    chain.forget(blocks[1]);
    await eventually(() => expect(chain.searches).toHaveLength(2));
    await rest();
    node.election.win();
    await node.told('applied', 2);
    await rest();
    expect(node.kinds()).not.toContain('ready');
    chain.grow(blocks[2], blocks[3]);
    await node.told('ready');
    await pool.has(...blocks);
  });
});
