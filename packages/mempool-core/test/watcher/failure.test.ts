import { type Block, MempoolError } from 'mempool-core';
import { describe, expect, it } from 'vitest';
import { answered as settled } from '../mempool/tap.ts';
import { branchFrom, ScriptedChain } from './scripted-chain.ts';
import { eventually, WatchedPool } from './watched-pool.ts';

const lost = 'lost watcher lock, skipping confirm';

/** Whether the call is answered before what holds it up lets go, and after. */
async function answered(call: Promise<unknown>, letGo: () => void): Promise<[boolean, boolean]> {
  const before = await settled(call);
  letGo();
  await call;
  return [before, true];
}

describe('a leader that loses', () => {
  it('between two blocks keeps the second for the next leader', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2] = branchFrom(null, 0, 2);
    const [first, second] = [new ScriptedChain(b1), new ScriptedChain(b1, b2)];
    const a = await pool.watch('a', first);
    const b = await pool.watch('b', second);
    a.election.win();
    await a.told('ready');
    a.election.valid = () => false;
    first.grow(b2);
    await a.told('skipped', a.kinds().filter((kind) => kind === 'skipped').length + 1);
    await pool.has(b1);
    expect(a.lines.at(-1)).toBe(lost);
    await b.told('skipped', 2);
    b.election.win();
    await b.told('ready');
    await pool.has(b1, b2);
  });

  it('and leads again applies what it kept', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2, b3] = branchFrom(null, 0, 3);
    const chain = new ScriptedChain(b1);
    const node = await pool.watch('a', chain);
    node.election.win();
    await node.told('ready');
    await node.election.lose();
    chain.grow(b2, b3);
    await eventually(() => expect(node.lines.at(-1)).toBe('not watcher, skipping confirm'));
    node.election.win();
    await node.told('ready', 2);
    await pool.has(b1, b2, b3);
  });

  it('has nothing under way in the pool when its work has ended', async () => {
    await using pool = await WatchedPool.open();
    const blocks = branchFrom(null, 0, 3);
    const node = await pool.watch('a', new ScriptedChain(...blocks));
    await node.told('skipped', 3);
    const held = Promise.withResolvers<void>();
    pool.tap.after('confirm', () => held.promise);
    node.election.win();
    await eventually(() => expect(pool.tap.calls).toContain('confirm'));
    expect(await answered(node.election.lose(), held.resolve)).toEqual([false, true]);
    expect(pool.tap.calls.filter((call) => call === 'confirm')).toHaveLength(1);
    await pool.has(blocks[0]);
  });

  it('in the middle of a block that just came has that one done before its work ends', async () => {
    await using pool = await WatchedPool.open();
    const [b1] = branchFrom(null, 0, 1);
    const chain = new ScriptedChain();
    const node = await pool.watch('a', chain);
    node.election.win();
    await node.told('ready');
    const held = Promise.withResolvers<void>();
    pool.tap.after('confirm', () => held.promise);
    chain.grow(b1);
    await eventually(() => expect(pool.tap.calls).toContain('confirm'));
    expect(await answered(node.election.lose(), held.resolve)).toEqual([false, true]);
    await pool.has(b1);
  });

  it('without knowing it is fenced in the middle of its backlog, and the next one goes on there', async () => {
    await using pool = await WatchedPool.open();
    const blocks = branchFrom(null, 0, 5);
    const a = await pool.watch('a', new ScriptedChain(...blocks));
    const b = await pool.watch('b', new ScriptedChain(...blocks));
    await Promise.all([a.told('skipped', 5), b.told('skipped', 5)]);
    pool.tap.before('confirm', () => {
      if (pool.tap.calls.filter((call) => call === 'confirm').length === 3) b.election.win();
    });
    const { term } = a.election.win();
    await a.told('fenced');
    await b.told('ready');
    await pool.has(...blocks);
    expect(a.events.slice(5)).toEqual([
      { kind: 'applied', tip: { point: blocks[0].point, tick: 1 }, term },
      { kind: 'applied', tip: { point: blocks[1].point, tick: 2 }, term },
      { kind: 'fenced', point: blocks[2].point, term },
    ]);
    expect(a.lines.at(-1)).toBe(lost);
    expect(b.kinds().slice(5)).toEqual(['applied', 'applied', 'applied', 'ready']);
  });

  it('without knowing it is fenced when its chain goes back', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2] = branchFrom(null, 0, 2);
    const chain = new ScriptedChain(b1, b2);
    const node = await pool.watch('a', chain);
    node.election.win();
    await node.told('applied', 2);
    pool.elections.give('b');
    chain.undo(b1);
    await node.told('fenced');
    await pool.has(b1, b2);
  });

  it('and was given its lease back goes on at the next block', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2, b3] = branchFrom(null, 0, 3);
    const chain = new ScriptedChain(b1);
    const node = await pool.watch('a', chain);
    const lease = node.election.win();
    await node.told('ready');
    pool.elections.put(null);
    chain.grow(b2);
    await node.told('fenced');
    pool.elections.put(lease);
    chain.grow(b3);
    await node.told('applied', 3);
    await pool.has(b1, b2, b3);
  });
});

describe('a leader whose pool fails', () => {
  it('repeats a block whose answer was lost under the same operation id', async () => {
    await using pool = await WatchedPool.open();
    const blocks = branchFrom(null, 0, 2);
    const node = await pool.watch('a', new ScriptedChain(...blocks));
    let failures = 0;
    pool.tap.after('confirm', async () => {
      failures += 1;
      if (failures < 3) throw new MempoolError('ERR_MEMPOOL_OUTCOME_UNKNOWN', 'the answer was lost');
    });
    node.election.win();
    await node.told('applied', 2);
    await pool.has(...blocks);
    expect(node.events.filter(({ kind }) => kind === 'applied')).toHaveLength(2);
    // A repeat under another id would be a duplicate, and the tip be read once more.
    expect(pool.tap.calls.filter((call) => call === 'tip')).toHaveLength(2);
  });

  it('waits for a pool that is out of reach, and loses nothing', async () => {
    await using pool = await WatchedPool.open();
    const blocks = branchFrom(null, 0, 2);
    const node = await pool.watch('a', new ScriptedChain(...blocks));
    await node.told('skipped', 2);
    let failures = 0;
    const outOfReach = (): void => {
      failures += 1;
      if (failures % 2 === 1) throw new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'the store is away');
    };
    pool.tap.before('tip', outOfReach);
    pool.tap.before('confirm', outOfReach);
    node.election.win();
    await node.told('ready');
    await pool.has(...blocks);
    expect(node.election.resigned).toBe(0);
  });

  it('ends its waiting with its leadership', async () => {
    await using pool = await WatchedPool.open();
    const node = await pool.watch('a', new ScriptedChain(...branchFrom(null, 0, 1)));
    await node.told('skipped');
    pool.tap.before('confirm', () => {
      throw new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'the store is away');
    });
    node.election.win();
    await eventually(() => expect(pool.tap.calls).toContain('confirm'));
    await node.election.lose();
    await pool.has();
    expect(node.lines.at(-1)).toBe(lost);
  });

  it('for good says so, gives the leadership up and follows on', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2] = branchFrom(null, 0, 2);
    const chain = new ScriptedChain(b1);
    const node = await pool.watch('a', chain);
    await node.told('skipped');
    const error = new MempoolError('ERR_MEMPOOL_INTERNAL', 'a fault of the backend');
    let failures = 0;
    pool.tap.before('confirm', () => {
      failures += 1;
      if (failures === 1) throw error;
    });
    const { term } = node.election.win();
    await node.told('failed');
    expect(node.events.at(-1)).toEqual({ kind: 'failed', error, term });
    await eventually(() => expect(node.election.lease).toBeNull());
    chain.grow(b2);
    await node.told('skipped', 2);
    node.election.win();
    await node.told('ready');
    await pool.has(b1, b2);
  });

  it('reads the tip anew where somebody else moved it', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2, b3, b4] = branchFrom(null, 0, 4);
    const chain = new ScriptedChain(b1);
    const node = await pool.watch('a', chain);
    const lease = node.election.win();
    await node.told('ready');
    await pool.store.confirm(b2, {}, { lease });
    chain.grow(b2, b3);
    await eventually(() => pool.has(b1, b2, b3));
    await pool.store.rollback(b2.point, { lease });
    chain.grow(b4);
    await eventually(() => pool.has(b1, b2, b3, b4));
  });

  it('applies nothing above a block that somebody else put there, also where the source names no parents', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2, b3] = branchFrom(null, 0, 3).map((block) => ({ ...block, parent: undefined }));
    const [c2] = branchFrom(b1 as Block, 1, 1);
    const chain = new ScriptedChain(b1 as Block, b2 as Block);
    const node = await pool.watch('a', chain);
    const lease = node.election.win();
    await node.told('applied', 2);
    await pool.store.rollback((b1 as Block).point, { lease });
    await pool.store.confirm(c2, {}, { lease });
    chain.grow(b3 as Block);
    await eventually(() => pool.has(b1 as Block, b2 as Block, b3 as Block));
  });

  it('gives up where the pool is never where it says it is', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2] = branchFrom(null, 0, 2);
    const chain = new ScriptedChain(b1);
    const node = await pool.watch('a', chain);
    const lease = node.election.win();
    await node.told('ready');
    // Somebody with the same lease applies and undoes between the look and the block.
    pool.tap.before('confirm', async () => void (await pool.store.confirm(b2, {}, { lease })));
    pool.tap.after('confirm', async () => void (await pool.store.rollback(b1.point, { lease })));
    chain.grow(b2);
    await node.told('failed');
    expect(node.election.resigned).toBe(1);
  });
});
