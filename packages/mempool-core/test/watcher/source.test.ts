import type { SourceStep } from 'mempool-core';
import { describe, expect, it } from 'vitest';
import { branchFrom, ScriptedChain } from './scripted-chain.ts';
import { eventually, WatchedPool } from './watched-pool.ts';

describe('a source that', () => {
  it.each([
    ['ends', null],
    ['fails', new Error('the connection broke')],
  ])('%s is asked again from the last blocks seen', async (_, error) => {
    await using pool = await WatchedPool.open();
    const [b1, b2, b3] = branchFrom(null, 0, 3);
    const chain = new ScriptedChain(b1, b2);
    const node = await pool.watch('a', chain);
    node.election.win();
    await node.told('applied', 2);
    chain.cut(error);
    await eventually(() => expect(chain.searches).toHaveLength(2));
    chain.grow(b3);
    await eventually(() => pool.has(b1, b2, b3));
    expect(chain.searches[1]).toEqual([b2.point, b1.point]);
  });

  it('cannot be reached is asked until it can', async () => {
    await using pool = await WatchedPool.open();
    const [b1] = branchFrom(null, 0, 1);
    const chain = new ScriptedChain(b1);
    let refused = 0;
    chain.before = () => {
      refused += 1;
      if (refused < 4) throw new Error('connection refused');
    };
    const node = await pool.watch('a', chain);
    node.election.win();
    await eventually(() => pool.has(b1));
    expect(refused).toBe(4);
  });

  it('is behind after it was asked again undoes nothing by that', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2, b3, b4] = branchFrom(null, 0, 4);
    const chain = new ScriptedChain(b1, b2, b3);
    const node = await pool.watch('a', chain);
    node.election.win();
    await node.told('applied', 3);
    chain.cut();
    chain.forget(b1);
    await eventually(() => expect(chain.searches).toHaveLength(2));
    chain.grow(b2, b3, b4);
    await eventually(() => pool.has(b1, b2, b3, b4));
    expect(node.kinds()).not.toContain('undone');
  });

  it('changed its branch while it was away is followed there', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2, b3] = branchFrom(null, 0, 3);
    const [c2, c3, c4] = branchFrom(b1, 1, 3);
    const chain = new ScriptedChain(b1, b2, b3);
    const node = await pool.watch('a', chain);
    node.election.win();
    await node.told('applied', 3);
    chain.cut();
    chain.forget(b1);
    chain.grow(c2, c3, c4);
    await eventually(() => pool.has(b1, c2, c3, c4));
  });

  it.each([
    ['leaves a block out', ([b1, , b3]: ReturnType<typeof branchFrom>) => [b1, b3]],
    ['gives a block twice', ([b1, b2]: ReturnType<typeof branchFrom>) => [b1, b2, b2]],
  ])('%s is asked again, and the pool gets none of it', async (_, wrong) => {
    await using pool = await WatchedPool.open();
    const blocks = branchFrom(null, 0, 3);
    const chain = new ScriptedChain();
    const node = await pool.watch('a', chain);
    node.election.win();
    await node.told('ready');
    chain.grow(...wrong(blocks));
    await eventually(() => expect(chain.searches.length).toBeGreaterThan(1));
    chain.cut();
    chain.forget(null);
    chain.grow(...blocks);
    await eventually(() => pool.has(...blocks));
    expect(node.kinds()).not.toContain('failed');
  });

  it('has forgotten what was seen is asked for what the pool has applied', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2] = branchFrom(null, 0, 2);
    const [c1, c2] = branchFrom(null, 1, 2);
    const chain = new ScriptedChain(b1, b2);
    const node = await pool.watch('a', chain);
    await node.told('skipped', 2);
    chain.cut();
    chain.forget(null);
    chain.grow(c1, c2);
    await pool.apply(c1);
    await eventually(() => expect(chain.searches.at(-1)).toEqual([c1.point]));
    node.election.win();
    await eventually(() => pool.has(c1, c2));
  });

  it('finds a point that it was not asked for is not followed from there', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2, b3] = branchFrom(null, 0, 3);
    await pool.apply(b1);
    const chain = new ScriptedChain(b1, b2, b3);
    const lost = chain.intersect([b2.point], { signal: new AbortController().signal });
    let searches = 0;
    const node = await pool.watch('a', {
      intersect: (points, options) => {
        searches += 1;
        return searches === 1 ? lost : chain.intersect(points, options);
      },
    });
    node.election.win();
    await eventually(() => pool.has(b1, b2, b3));
    expect(node.kinds()).not.toContain('diverged');
  });

  it('asks again and again for what it lacks is not asked without a pause', async () => {
    await using pool = await WatchedPool.open();
    const blocks = branchFrom(null, 0, 6);
    const chain = new ScriptedChain(...branchFrom(blocks[0], 1, 6));
    chain.forget(null);
    chain.grow(blocks[0], ...branchFrom(blocks[0], 1, 6));
    await pool.apply(blocks[0], blocks[1]);
    const node = await pool.watch('a', chain, { ringSize: 2 });
    await node.told('skipped', 6);
    node.election.win();
    // Fenced at every block, its short ring loses the common one each time.
    pool.elections.give('b');
    await node.told('fenced', 3);
    const before = performance.now();
    const searched = chain.searches.length;
    await eventually(() => expect(chain.searches.length).toBeGreaterThanOrEqual(searched + 3));
    expect(performance.now() - before).toBeGreaterThan(90);
  });

  it('gives a wrong block every time is asked after pauses that grow, and the work does not go on by that', async () => {
    await using pool = await WatchedPool.open();
    const [b1, , b3] = branchFrom(null, 0, 3);
    const { point } = b1;
    await pool.apply(b1);
    async function* steps(): AsyncGenerator<SourceStep> {
      yield { kind: 'undo', point };
      yield { kind: 'apply', block: b3 };
    }
    const asked: number[] = [];
    const node = await pool.watch('a', {
      intersect: async () => {
        asked.push(performance.now());
        return { point, steps: steps() };
      },
    });
    node.election.win();
    await eventually(() => expect(asked).toHaveLength(5));
    expect(node.election.progress).toBe(0);
    expect((asked[4] as number) - (asked[3] as number)).toBeGreaterThan(200);
  });

  it('has no block yet has nothing against a pool without any', async () => {
    await using pool = await WatchedPool.open();
    const [b1] = branchFrom(null, 0, 1);
    const chain = new ScriptedChain(b1);
    let searches = 0;
    const node = await pool.watch('a', {
      intersect: async (points, options) => {
        searches += 1;
        return searches < 3 ? null : chain.intersect(points, options);
      },
    });
    node.election.win();
    await eventually(() => pool.has(b1));
    expect(node.kinds()).not.toContain('diverged');
  });

  it('knows none of the points is not another chain where the pool has moved since they were read', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2] = branchFrom(null, 0, 2);
    const [c1, c2] = branchFrom(null, 1, 2);
    await pool.apply(b1, b2);
    const chain = new ScriptedChain(c1, c2);
    const gate = Promise.withResolvers<void>();
    chain.before = () => gate.promise;
    const node = await pool.watch('a', chain);
    await eventually(() => expect(chain.searches).toHaveLength(1));
    const lease = pool.elections.give('b');
    await pool.store.rollback(null, { lease });
    await pool.store.confirm(c1, {}, { lease });
    node.election.win();
    gate.resolve();
    await eventually(() => pool.has(c1, c2));
    expect(node.kinds()).not.toContain('diverged');
  });
});
