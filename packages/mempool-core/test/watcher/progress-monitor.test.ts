import { type Mempool, Watcher, type WatcherElection, type WatcherOptions } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { expect, it, onTestFinished } from 'vitest';
import { Blocks, eventually } from './scene.ts';
import { ScriptedChain } from './scripted-chain.ts';

const timeoutMs = 8;
const away = new Error('away');

/** A node that never leads, under a leader of term 7, on a pool that others write to. */
async function standby(text: string, more: Partial<WatcherOptions> = {}) {
  const blocks = new Blocks();
  const store = await ephemeral.open();
  const chain = new ScriptedChain(...blocks.of(text));
  const deposed: number[] = [];
  const warnings: string[] = [];
  const pool = { store, fails: false, looks: 0 };
  const election: WatcherElection = {
    runAsLeader: (_, { signal }) => new Promise((__, reject) => signal.addEventListener('abort', reject)),
    resign: async () => undefined,
    leader: { term: 7 },
    depose: async (term) => void deposed.push(term),
  };
  const tip: Mempool['tip'] = (options) => {
    pool.looks += 1;
    return pool.fails ? Promise.reject(away) : store.tip(options);
  };
  const tapped = { tip, confirm: store.confirm.bind(store), rollback: store.rollback.bind(store) };
  const log = (level: string, line: string): void => void (level === 'warn' && warnings.push(line));
  const options = { election, pool: tapped, source: chain, log, progressTimeoutMs: timeoutMs, ...more };
  const watcher = new Watcher(options);
  onTestFinished(() => watcher.stop());
  const seen = Promise.withResolvers<void>();
  watcher.on('skipped', ({ point }) => (point.hash === chain.blocks.at(-1)?.point.hash ? seen.resolve() : undefined));
  await watcher.start();
  await seen.promise;
  return { blocks, chain, pool, deposed, warnings };
}

/** Waits until a node that was started later, on a pool of its own, has looked so often: each one had its turns before. */
async function turns(count: number): Promise<void> {
  const { pool } = await standby('b1');
  await eventually(() => expect(pool.looks).toBeGreaterThan(count));
}

it('a standby whose blocks are not applied deposes the leader, again and again, with a warning each time', async () => {
  const { deposed, warnings } = await standby('b1 b2');
  await eventually(() => expect(deposed.length).toBeGreaterThan(1));
  expect(new Set(deposed)).toEqual(new Set([7]));
  expect(new Set(warnings)).toEqual(new Set(['the leader applies nothing, taking its lease']));
});

it('so does one on another branch, in a later slot than the pool', async () => {
  const { blocks, chain, pool, deposed } = await standby('b1');
  const [b1] = blocks.of('b1');
  await pool.store.confirm(b1);
  chain.undo(null);
  chain.grow({ ...b1, point: { slot: 5, hash: 'c5'.repeat(32) }, parent: undefined });
  const before = deposed.length;
  await eventually(() => expect(deposed.length).toBeGreaterThan(before + 1));
});

it('one that the pool has reached asks nothing more, until a block comes that the pool has not', async () => {
  const { blocks, chain, pool, deposed } = await standby('b1');
  const [b1, b2, b3] = blocks.of('b1 b2 b3');
  await pool.store.confirm(b1);
  await pool.store.confirm(b2);
  // The first look finds the pool beyond this node; there is nothing to look for then.
  await turns(1);
  const before = [pool.looks, deposed.length];
  await turns(12);
  expect([pool.looks, deposed.length]).toEqual(before);
  chain.grow(b2);
  chain.grow(b3);
  await eventually(() => expect(deposed.length).toBeGreaterThan(before[1] as number));
});

it('with false, or an election that cannot depose, nothing is looked at', async () => {
  const off = await standby('b1 b2', { progressTimeoutMs: false });
  const without = { runAsLeader: () => new Promise<never>(() => undefined), resign: async () => undefined };
  expect(() => new Watcher({ election: without, pool: off.pool.store, source: off.chain })).not.toThrow();
  const { looks } = off.pool;
  await turns(12);
  expect([off.pool.looks, off.deposed, off.warnings]).toEqual([looks, [], []]);
});

it('a pool out of reach deposes nobody, and is asked again', async () => {
  const { pool, deposed } = await standby('b1 b2');
  pool.fails = true;
  const [looks, before] = [pool.looks, deposed.length];
  await eventually(() => expect(pool.looks).toBeGreaterThan(looks + 16));
  // A look that was under way may still have succeeded.
  expect(deposed.length).toBeLessThanOrEqual(before + 1);
  pool.fails = false;
  await eventually(() => expect(deposed.length).toBeGreaterThan(before + 1));
});
