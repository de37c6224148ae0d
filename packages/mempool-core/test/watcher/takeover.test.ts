import { describe, expect, it } from 'vitest';
import { rest } from '../mempool/tap.ts';
import { eventually, scene } from './scene.ts';

describe('a watcher that wins', () => {
  it('waits and undoes nothing where its chain ends before the tip', async () => {
    await using s = await scene({ applied: 'b1 b2 b3', chain: 'b1' });
    await s.lead();
    await s.has('b1 b2 b3');
    s.grow('b2 b3 b4');
    await s.told('applied');
    await s.has('b1 b2 b3 b4');
    expect(s.kinds()).toEqual(['ready', 'applied']);
  });

  it('waits also where its chain ends before all that the pool has kept, and is not ready there', async () => {
    await using s = await scene({ chain: 'b1 b2', maxRollback: 2 });
    await s.told('skipped', 2);
    await s.apply('b1..b8');
    const asked = s.tap.calls.length;
    s.win();
    await eventually(() => expect(s.tap.calls.length).toBeGreaterThan(asked));
    await rest();
    expect(s.kinds(2)).toEqual([]);
    s.grow('b3..b9');
    await s.told('applied');
    expect(await s.store.tip()).toMatchObject({ point: s.point('b9'), tick: 9 });
    expect(s.kinds(2)).toEqual(['ready', 'applied']);
    expect(s.chain.searches).toHaveLength(1);
  });

  it('goes over to a branch that begins deeper than its ring is long, though it applied the old branch itself', async () => {
    await using s = await scene({ chain: 'b1..b8', ringSize: 2 });
    s.win();
    await s.reaches('b1..b8');
    // The source no longer has a block that the node saw, and the blocks that both have are older than the ring.
    s.replace('b1', 'c2..c9');
    await s.reaches('b1 c2..c9');
    expect(s.kinds()).not.toContain('diverged');
    expect(s.node.election.resigned).toBe(0);
  });

  it('asks the source for the blocks that its ring was too short for, and is ready when it has what it saw', async () => {
    await using s = await scene({ applied: 'b1 b2', chain: 'b1..b8', ringSize: 3 });
    await s.told('skipped', 6);
    await s.lead();
    await s.has('b1..b8');
    const [b1, b2] = [s.point('b1'), s.point('b2')];
    expect(s.chain.searches).toEqual(Array(2).fill([b2, b1]));
    expect(s.kinds(6)).toEqual([...Array(6).fill('applied'), 'ready']);
  });

  it.each([
    ['asks the source for blocks that the pool had passed and went back from', 'b5', [undefined, 5]],
    ['keeps what the pool has not passed, so that nobody is asked', null, [undefined]],
  ])('%s', async (_, backTo, searches) => {
    await using s = await scene({ chain: 'b1..b31' });
    await s.told('skipped', 31);
    await s.apply('b1..b20');
    s.grow('b32..b40');
    await s.told('skipped', 40);
    if (backTo !== null) await s.store.rollback(s.point(backTo), { lease: s.elections.give('earlier') });
    await s.lead();
    await s.has('b1..b40');
    expect(s.chain.searches.map((points) => points[0]?.slot)).toEqual(searches);
  });

  it('gives the leadership up and applies nothing where pool and source have no block in common', async () => {
    await using s = await scene();
    await eventually(() => expect(s.chain.readers).toBe(1));
    await s.apply('b1 b2');
    s.grow('c1 c2 c3');
    await s.told('skipped', 3);
    const { term } = s.win();
    await s.told('diverged');
    await eventually(() => expect(s.node.election.lease).toBeNull());
    await s.has('b1 b2');
    expect(s.node.election.resigned).toBe(1);
    expect(s.node.events.at(-1)).toEqual({ kind: 'diverged', tip: { point: s.point('b2'), tick: 2 }, term });
  });

  it('finds out as leader that its source is another chain', async () => {
    const gate = Promise.withResolvers<void>();
    await using s = await scene({ applied: 'b1', chain: 'c1 c2 c3', before: () => gate.promise });
    s.win();
    gate.resolve();
    await s.told('diverged');
    await s.has('b1');
    expect(s.node.events).toMatchObject([{ kind: 'diverged', tip: { point: s.point('b1'), tick: 1 } }]);
  });
});

describe('a leader is not ready before the pool has what its node has seen', () => {
  it('also where its source came back with less', async () => {
    await using s = await scene({ chain: 'b1..b4' });
    await s.told('skipped', 4);
    s.replace('b2');
    await s.searched(2);
    await rest();
    s.win();
    await s.told('applied', 2);
    await rest();
    expect(s.kinds()).not.toContain('ready');
    s.grow('b3 b4');
    await s.told('ready');
    await s.has('b1..b4');
  });
});

describe('a leader whose chain goes back', () => {
  it('undoes nothing where the pool was further on', async () => {
    await using s = await scene({ applied: 'b1..b4', chain: 'b1 b2' });
    await s.lead();
    s.undo('b1');
    s.grow('b2 b3');
    const { election } = s.node;
    const before = election.progress;
    await eventually(() => expect(election.progress).toBeGreaterThan(before));
    await rest();
    await s.has('b1..b4');
    expect(s.kinds()).toEqual(['ready']);
  });

  it.each([
    ['gives the leadership up where that is deeper than the pool can go back', 'b1'],
    ['does not begin anew on top of blocks that it can no longer undo', null],
  ])('%s', async (_, to) => {
    await using s = await scene({ chain: 'b1..b5', maxRollback: 2 });
    s.win();
    await s.told('applied', 5);
    s.undo(to);
    await s.told('diverged');
    expect(await s.store.tip()).toMatchObject({ point: s.point('b5'), tick: 5 });
  });
});
