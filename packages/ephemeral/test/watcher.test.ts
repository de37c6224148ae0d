import { describe, expect, it } from 'vitest';
import { branchFrom, ScriptedChain } from './scripted-chain.ts';
import { eventually, WatchedPool } from './watched-pool.ts';

describe('a watcher', () => {
  it('that wins applies what it saw before, then each block as it comes', async () => {
    await using pool = await WatchedPool.open();
    const [b1, b2, b3] = branchFrom(null, 0, 3) as [never, never, never];
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

  it('stops reading the chain and waiting for the leadership when it is stopped', async () => {
    await using pool = await WatchedPool.open();
    const chain = new ScriptedChain(...branchFrom(null, 0, 1));
    const node = await pool.watch('a', chain);
    await node.told('skipped');
    await node.watcher.stop();
    await eventually(() => expect(chain.readers).toBe(0));
  });
});
