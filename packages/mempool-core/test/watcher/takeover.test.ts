import { describe, expect, it } from 'vitest';
import { rest } from '../mempool/tap.ts';
import { branchFrom, ScriptedChain } from './scripted-chain.ts';
import { eventually, WatchedPool } from './watched-pool.ts';

describe('a watcher that wins', () => {
  it('waits and undoes nothing where its chain ends before the tip', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2, b3, b4] = branchFrom(null, 0, 4);
    await pool.apply(b1, b2, b3);
    const chain = new ScriptedChain(b1);
    const node = await pool.watch('a', chain);
    node.election.win();
    await node.told('ready');
    await pool.has(b1, b2, b3);
    chain.grow(b2, b3, b4);
    await node.told('applied');
    await pool.has(b1, b2, b3, b4);
    expect(node.kinds()).toEqual(['ready', 'applied']);
  });

  it('goes back to the last common block where its chain has another child of it', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2, b3, b4] = branchFrom(null, 0, 4);
    const [c3, c4] = branchFrom(b2, 1, 2);
    await pool.apply(b1, b2, b3, b4);
    const node = await pool.watch('a', new ScriptedChain(b1, b2, c3, c4));
    await node.told('skipped', 2);
    node.election.win();
    await node.told('ready');
    await pool.has(b1, b2, c3, c4);
    expect(node.kinds().slice(2)).toEqual(['undone', 'applied', 'applied', 'ready']);
  });

  it('undoes nothing before the other child is there', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2, b3] = branchFrom(null, 0, 3);
    const [c2, c3] = branchFrom(b1, 1, 2);
    await pool.apply(b1, b2, b3);
    const chain = new ScriptedChain(b1);
    const node = await pool.watch('a', chain);
    node.election.win();
    await node.told('ready');
    chain.grow(c2);
    await node.told('applied');
    await pool.has(b1, c2);
    chain.grow(c3);
    await eventually(() => pool.has(b1, c2, c3));
  });

  it('takes up the fork that the leader before left half done', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2, b3] = branchFrom(null, 0, 3);
    const [c2, c3, c4] = branchFrom(b1, 1, 3);
    const [first, second] = [new ScriptedChain(b1, b2, b3), new ScriptedChain(b1, b2, b3)];
    const a = await pool.watch('a', first);
    const b = await pool.watch('b', second);
    await b.told('skipped', 3);
    a.election.win();
    await a.told('ready');
    first.undo(b1);
    first.grow(c2);
    await a.told('applied', 4);
    await pool.has(b1, c2);
    second.undo(b1);
    second.grow(c2, c3, c4);
    await b.told('skipped', 6);
    await a.election.lose();
    b.election.win();
    await b.told('ready');
    await pool.has(b1, c2, c3, c4);
    expect(b.kinds()).not.toContain('undone');
  });

  it('finishes a fork whose old branch was undone and whose new one was not begun', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2] = branchFrom(null, 0, 2);
    const [c2, c3] = branchFrom(b1, 1, 2);
    const [first, second] = [new ScriptedChain(b1, b2), new ScriptedChain(b1, b2)];
    const a = await pool.watch('a', first);
    const b = await pool.watch('b', second);
    a.election.win();
    await a.told('ready');
    first.undo(b1);
    await a.told('undone');
    await a.election.lose();
    b.election.win();
    await b.told('ready');
    second.undo(b1);
    second.grow(c2, c3);
    await eventually(() => pool.has(b1, c2, c3));
  });

  it('asks the source for the blocks that its ring was too short for, and is ready when it has what it saw', async () => {
    await using pool = await WatchedPool.open();
    const blocks = branchFrom(null, 0, 8);
    await pool.apply(blocks[0], blocks[1]);
    const chain = new ScriptedChain(...blocks);
    const node = await pool.watch('a', chain, { ringSize: 3 });
    await node.told('skipped', 6);
    node.election.win();
    await node.told('ready');
    await pool.has(...blocks);
    expect(chain.searches.map((points) => points.map(({ slot }) => slot))).toEqual([
      [2, 1],
      [2, 1],
    ]);
    expect(node.kinds().slice(6)).toEqual([...Array(6).fill('applied'), 'ready']);
  });

  it('asks the source from its beginning where the pool has no block and the ring does not reach so far', async () => {
    await using pool = await WatchedPool.open();
    const blocks = branchFrom(null, 0, 5);
    const chain = new ScriptedChain(...blocks);
    const node = await pool.watch('a', chain, { ringSize: 2 });
    await node.told('skipped', 5);
    node.election.win();
    await node.told('ready');
    await pool.has(...blocks);
    expect(chain.searches).toEqual([[], []]);
  });

  it('asks the source for blocks that the pool had passed and went back from', async () => {
    await using pool = await WatchedPool.open();
    const blocks = branchFrom(null, 0, 40);
    const chain = new ScriptedChain(...blocks.slice(0, 31));
    const node = await pool.watch('a', chain);
    await node.told('skipped', 31);
    await pool.apply(...blocks.slice(0, 20));
    chain.grow(...blocks.slice(31));
    await node.told('skipped', 40);
    const lease = pool.elections.give('earlier');
    await pool.store.rollback(blocks[4].point, { lease });
    node.election.win();
    await node.told('ready');
    await pool.has(...blocks);
    expect(chain.searches.map((points) => points[0]?.slot)).toEqual([undefined, 5]);
  });

  it('again keeps of the blocks that it applied itself only where they stand', async () => {
    await using pool = await WatchedPool.open();
    const blocks = branchFrom(null, 0, 4);
    const chain = new ScriptedChain(...blocks);
    const node = await pool.watch('a', chain);
    node.election.win();
    await node.told('applied', 4);
    await node.election.lose();
    await pool.store.rollback(blocks[1].point, { lease: pool.elections.give('b') });
    node.election.win();
    await eventually(() => pool.has(...blocks));
    expect(chain.searches.map((points) => points[0]?.slot)).toEqual([undefined, 2]);
  });

  it('keeps what the pool has not passed, so that nobody is asked', async () => {
    await using pool = await WatchedPool.open();
    const blocks = branchFrom(null, 0, 40);
    const chain = new ScriptedChain(...blocks.slice(0, 31));
    const node = await pool.watch('a', chain);
    await node.told('skipped', 31);
    await pool.apply(...blocks.slice(0, 20));
    chain.grow(...blocks.slice(31));
    await node.told('skipped', 40);
    node.election.win();
    await node.told('ready');
    await pool.has(...blocks);
    expect(chain.searches).toHaveLength(1);
  });

  it('gives the leadership up and applies nothing where pool and source have no block in common', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2] = branchFrom(null, 0, 2);
    const chain = new ScriptedChain();
    const node = await pool.watch('a', chain);
    await eventually(() => expect(chain.readers).toBe(1));
    await pool.apply(b1, b2);
    chain.grow(...branchFrom(null, 1, 3));
    await node.told('skipped', 3);
    const { term } = node.election.win();
    await node.told('diverged');
    await eventually(() => expect(node.election.lease).toBeNull());
    await pool.has(b1, b2);
    expect(node.election.resigned).toBe(1);
    expect(node.events.at(-1)).toEqual({ kind: 'diverged', tip: { point: b2.point, tick: 2 }, term });
  });

  it('finds out as leader that its source is another chain', async () => {
    await using pool = await WatchedPool.open();
    const [b1] = branchFrom(null, 0, 1);
    await pool.apply(b1);
    const chain = new ScriptedChain(...branchFrom(null, 1, 3));
    const gate = Promise.withResolvers<void>();
    chain.before = () => gate.promise;
    const node = await pool.watch('a', chain);
    node.election.win();
    gate.resolve();
    await node.told('diverged');
    await pool.has(b1);
    expect(node.events).toMatchObject([{ kind: 'diverged', tip: { point: b1.point, tick: 1 } }]);
  });

  it('before its source has answered applies what comes then', async () => {
    await using pool = await WatchedPool.open();
    const blocks = branchFrom(null, 0, 3);
    const chain = new ScriptedChain(...blocks);
    const gate = Promise.withResolvers<void>();
    chain.before = () => gate.promise;
    const node = await pool.watch('a', chain);
    node.election.win();
    await rest();
    expect(node.events).toEqual([]);
    gate.resolve();
    await node.told('applied', 3);
    await pool.has(...blocks);
  });
});

describe('a leader whose chain goes back', () => {
  it('takes the pool back at once where the pool was at its end', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2, b3] = branchFrom(null, 0, 3);
    const chain = new ScriptedChain(b1, b2, b3);
    const node = await pool.watch('a', chain);
    node.election.win();
    await node.told('applied', 3);
    chain.undo(b1);
    await node.told('undone');
    await pool.has(b1);
    chain.undo(null);
    await node.told('undone', 2);
    await pool.has();
  });

  it('undoes nothing where the pool was further on', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2, b3, b4] = branchFrom(null, 0, 4);
    await pool.apply(b1, b2, b3, b4);
    const chain = new ScriptedChain(b1, b2);
    const node = await pool.watch('a', chain);
    node.election.win();
    await node.told('ready');
    chain.undo(b1);
    chain.grow(b2, b3);
    const before = node.election.progress;
    await eventually(() => expect(node.election.progress).toBeGreaterThan(before));
    await rest();
    await pool.has(b1, b2, b3, b4);
    expect(node.kinds()).toEqual(['ready']);
  });

  it('gives the leadership up where that is deeper than the pool can go back', async () => {
    await using pool = await WatchedPool.open({ maxRollback: 2 });
    const blocks = branchFrom(null, 0, 5);
    const chain = new ScriptedChain(...blocks);
    const node = await pool.watch('a', chain);
    node.election.win();
    await node.told('applied', 5);
    chain.undo(blocks[0]);
    await node.told('diverged');
    expect(await pool.store.tip()).toMatchObject({ point: blocks[4].point, tick: 5 });
  });

  it('does not begin anew on top of blocks that it can no longer undo', async () => {
    await using pool = await WatchedPool.open({ maxRollback: 2 });
    const blocks = branchFrom(null, 0, 5);
    const chain = new ScriptedChain(...blocks);
    const node = await pool.watch('a', chain);
    node.election.win();
    await node.told('applied', 5);
    chain.undo(null);
    await node.told('diverged');
    expect(await pool.store.tip()).toMatchObject({ point: blocks[4].point, tick: 5 });
  });
});
