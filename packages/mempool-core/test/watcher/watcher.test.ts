import { type ChainCursor, type ChainSource, type SourceStep, Watcher, type WatcherOptions } from 'mempool-core';
import { describe, expect, it } from 'vitest';
import { hash, rest } from '../mempool/tap.ts';
import { blockOn, branchFrom, ScriptedChain } from './scripted-chain.ts';
import { eventually, WatchedPool } from './watched-pool.ts';

describe('a watcher', () => {
  it('that wins applies what it saw before, then each block as it comes', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2, b3] = branchFrom(null, 0, 3);
    const chain = new ScriptedChain(b1);
    const node = await pool.watch('a', chain);
    chain.grow(b2);
    await node.told('skipped', 2);
    await pool.has();
    node.election.win();
    await node.told('ready');
    await pool.has(b1, b2);
    chain.grow(b3);
    await node.told('applied', 3);
    await pool.has(b1, b2, b3);
    expect(node.kinds()).toEqual(['skipped', 'skipped', 'applied', 'applied', 'ready', 'applied']);
    expect(node.lines).toEqual([
      'not watcher, skipping confirm',
      'not watcher, skipping confirm',
      'acquired watcher lock',
    ]);
  });

  it('says what it did with the tip and the term it did it in', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2] = branchFrom(null, 0, 2);
    const chain = new ScriptedChain(b1);
    const node = await pool.watch('a', chain);
    await node.told('skipped');
    const { term } = node.election.win();
    await node.told('ready');
    chain.grow(b2);
    chain.undo(b1);
    await node.told('undone');
    expect(node.events).toEqual([
      { kind: 'skipped', point: b1.point },
      { kind: 'applied', tip: { point: b1.point, tick: 1 }, term },
      { kind: 'ready', tip: { point: b1.point, tick: 1 }, term },
      { kind: 'applied', tip: { point: b2.point, tick: 2 }, term },
      { kind: 'undone', tip: { point: b1.point, tick: 1 }, term },
    ]);
  });

  it('says after every block that its work goes on', async () => {
    await using pool = await WatchedPool.open();
    const chain = new ScriptedChain();
    const node = await pool.watch('a', chain);
    node.election.win();
    await node.told('ready');
    const before = node.election.progress;
    chain.grow(...branchFrom(null, 0, 3));
    await node.told('applied', 3);
    expect(node.election.progress).toBeGreaterThanOrEqual(before + 3);
  });

  it('applies with its own thresholds where it has some', async () => {
    await using pool = await WatchedPool.open();
    await pool.store.receive([{ hash: hash(1), payload: new Uint8Array(1), payloadType: 0 }]);
    const chain = new ScriptedChain(blockOn(0, 1, null, 1));
    const node = await pool.watch('a', chain, { policy: { finalizeThreshold: 1 } });
    node.election.win();
    await node.told('applied');
    expect(await pool.store.checkStatus([hash(1)])).toMatchObject([{ stage: 'Finalized' }]);
  });

  it('asks its source for the next step only when the pool has the one before', async () => {
    await using pool = await WatchedPool.open();
    const blocks = branchFrom(null, 0, 5);
    let handedOut = 0;
    async function* steps(): AsyncGenerator<SourceStep> {
      for (const block of blocks) {
        handedOut += 1;
        yield { kind: 'apply', block };
      }
      await new Promise(() => undefined);
    }
    const started = Promise.withResolvers<void>();
    const source: ChainSource = {
      intersect: async (): Promise<ChainCursor> => {
        await started.promise;
        return { point: null, steps: steps() };
      },
    };
    const node = await pool.watch('a', source);
    const held = Promise.withResolvers<void>();
    pool.tap.before('confirm', () => held.promise);
    node.election.win();
    started.resolve();
    await eventually(() => expect(pool.tap.calls).toContain('confirm'));
    await rest();
    expect(handedOut).toBe(1);
    held.resolve();
    await node.told('applied', 5);
    await pool.has(...blocks);
  });

  it('lets a new pool begin where its source has it begin, and goes back there', async () => {
    await using pool = await WatchedPool.open();
    const point = { slot: 9, hash: hash(9) };
    const later = { ...blockOn(0, 10, null), parent: hash(9) };
    const other = { ...blockOn(1, 11, null), parent: hash(9) };
    const source: ChainSource = {
      intersect: async () => ({
        point,
        steps: (async function* (): AsyncGenerator<SourceStep> {
          yield { kind: 'undo', point };
          yield { kind: 'apply', block: later };
          yield { kind: 'undo', point };
          yield { kind: 'apply', block: other };
          await new Promise(() => undefined);
        })(),
      }),
    };
    const node = await pool.watch('a', source);
    node.election.win();
    await eventually(() => pool.has(other));
    expect(node.kinds()).not.toContain('diverged');
  });

  it('calls every listener of a kind, whatever one of them does, until it is removed', async () => {
    await using pool = await WatchedPool.open();
    const chain = new ScriptedChain();
    const node = await pool.watch('a', chain);
    const heard: number[] = [];
    const { watcher } = node;
    watcher.on('applied', () => {
      throw new Error('a listener of the application');
    });
    watcher.on('applied', () => Promise.reject(new Error('an asynchronous one')));
    const remove = watcher.on('applied', ({ tip }) => heard.push(tip.tick));
    node.election.win();
    const blocks = branchFrom(null, 0, 2);
    chain.grow(blocks[0]);
    await node.told('applied');
    remove();
    chain.grow(blocks[1]);
    await node.told('applied', 2);
    await pool.has(...blocks);
    expect(heard).toEqual([1]);
  });

  it('goes on where its log fails', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2] = branchFrom(null, 0, 2);
    const chain = new ScriptedChain(b1);
    const log = (): void => {
      throw new Error('no room for a line');
    };
    const node = await pool.watch('a', chain, { log });
    await node.told('skipped');
    chain.cut(new Error('the connection broke'));
    node.election.win();
    chain.grow(b2);
    await eventually(() => pool.has(b1, b2));
  });

  it.each<[string, object]>([
    ['election.runAsLeader', { election: {} }],
    ['election.resign', { election: { runAsLeader: () => undefined } }],
    ['pool.tip', { pool: {} }],
    ['source.intersect', { source: null }],
    ['policy', { policy: null }],
    ['dropThreshold', { policy: { dropThreshold: 'twice' } }],
    ['ringSize', { ringSize: 0 }],
    ['log', { log: 'loud' }],
  ])('names the option that is wrong: %s', async (field, wrong) => {
    await using pool = await WatchedPool.open();
    const good = { election: pool.elections.node('a'), pool: pool.store, source: new ScriptedChain() };
    expect(() => new Watcher({ ...good, ...wrong } as WatcherOptions)).toThrow(
      expect.objectContaining({ code: 'ERR_MEMPOOL_INVALID', details: { field } }),
    );
  });
});

describe('a watcher that is stopped', () => {
  it('lets go of its source and of the election', async () => {
    await using pool = await WatchedPool.open();
    const chain = new ScriptedChain(...branchFrom(null, 0, 1));
    const node = await pool.watch('a', chain);
    await node.told('skipped');
    await Promise.all([node.watcher.stop(), node.watcher.stop()]);
    await eventually(() => expect([chain.readers, node.election.waiting]).toEqual([0, 0]));
  });

  it('ends at once where its source never answers', async () => {
    await using pool = await WatchedPool.open();
    const chain = new ScriptedChain();
    chain.before = () => new Promise(() => undefined);
    const node = await pool.watch('a', chain);
    await eventually(() => expect(chain.searches).toHaveLength(1));
    await node.watcher.stop();
  });

  it('waits for the block under way, applies no other, and says nothing of a lost lock', async () => {
    await using pool = await WatchedPool.open();
    const blocks = branchFrom(null, 0, 3);
    const node = await pool.watch('a', new ScriptedChain(...blocks));
    await node.told('skipped', 3);
    const held = Promise.withResolvers<void>();
    pool.tap.after('confirm', () => held.promise);
    node.election.win();
    await eventually(() => expect(pool.tap.calls).toContain('confirm'));
    const stopped = node.watcher.stop();
    await rest();
    held.resolve();
    await stopped;
    await pool.has(blocks[0]);
    expect(node.lines).not.toContain('lost watcher lock, skipping confirm');
  });

  it('is stopped by the last call, whatever is still starting or stopping', async () => {
    await using pool = await WatchedPool.open();
    const chain = new ScriptedChain();
    const election = pool.elections.node('a');
    const watcher = new Watcher({ election, pool: pool.store, source: chain });
    await Promise.all([watcher.start(), watcher.stop()]);
    await rest();
    expect([chain.readers, election.waiting]).toEqual([0, 0]);
    await watcher.start();
    await Promise.all([watcher.stop(), watcher.start(), watcher.stop()]);
    await rest();
    expect([chain.readers, election.waiting]).toEqual([0, 0]);
    await watcher.start();
    await Promise.all([watcher.stop(), watcher.start()]);
    await eventually(() => expect([chain.readers, election.waiting]).toEqual([1, 1]));
    await watcher.stop();
  });

  it('goes on from where the pool is when it is started again', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2, b3] = branchFrom(null, 0, 3);
    const chain = new ScriptedChain(b1);
    const node = await pool.watch('a', chain);
    node.election.win();
    await node.told('ready');
    const stopped = node.watcher.stop();
    await Promise.all([stopped, node.watcher.start(), node.watcher.start()]);
    await node.election.lose();
    chain.grow(b2);
    await node.told('skipped');
    node.election.win();
    chain.grow(b3);
    await eventually(() => pool.has(b1, b2, b3));
  });

  it('waits for the leadership again where the election ended', async () => {
    await using pool = await WatchedPool.open();
    const [b1] = branchFrom(null, 0, 1);
    const node = await pool.watch('a', new ScriptedChain(b1));
    const again = node.election.end(new Error('the election was stopped'));
    await again;
    node.election.win();
    await eventually(() => pool.has(b1));
  });
});
