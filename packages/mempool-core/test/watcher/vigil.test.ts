import { type Block, type MempoolStore, Watcher, type WatcherElection, type WatcherOptions } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { expect, it } from 'vitest';
import { blockOn, branchFrom, ScriptedChain } from './scripted-chain.ts';
import { eventually } from './watched-pool.ts';

interface Standby extends AsyncDisposable {
  readonly chain: ScriptedChain;
  /** Terms that were deposed. */
  readonly deposed: number[];
  readonly warnings: string[];
  /** How often the pool was asked for its tip. */
  looks(): number;
}

const timeoutMs = 40;

/** A node that never leads, under a leader of term 7, on a pool that others write to. */
async function standby(
  store: MempoolStore,
  blocks: readonly Block[],
  more: Partial<WatcherOptions> = {},
): Promise<Standby> {
  const deposed: number[] = [];
  const warnings: string[] = [];
  let looks = 0;
  const election: WatcherElection = {
    runAsLeader: (_, { signal }) => new Promise((__, reject) => signal.addEventListener('abort', reject)),
    resign: async () => undefined,
    leader: { term: 7 },
    depose: async (term) => void deposed.push(term),
  };
  const tip: MempoolStore['tip'] = (options) => {
    looks += 1;
    return store.tip(options);
  };
  const pool = { tip, confirm: store.confirm.bind(store), rollback: store.rollback.bind(store) };
  const chain = new ScriptedChain(...blocks);
  const log = (level: string, line: string): void => void (level === 'warn' && warnings.push(line));
  const watcher = new Watcher({ election, pool, source: chain, log, progressTimeoutMs: timeoutMs, ...more });
  const seen = Promise.withResolvers<void>();
  watcher.on('skipped', ({ point }) => (point.hash === blocks.at(-1)?.point.hash ? seen.resolve() : undefined));
  await watcher.start();
  if (blocks.length > 0) await seen.promise;
  return { chain, deposed, warnings, looks: () => looks, [Symbol.asyncDispose]: () => watcher.stop() };
}

it('a standby whose blocks are not applied deposes the leader, again and again, with a warning each time', async () => {
  await using store = await ephemeral.open();
  await using node = await standby(store, branchFrom(null, 0, 2));
  await eventually(() => expect(node.deposed.length).toBeGreaterThan(1));
  expect(new Set(node.deposed)).toEqual(new Set([7]));
  expect(new Set(node.warnings)).toEqual(new Set(['the leader applies nothing, taking its lease']));
});

it('so does one on another branch, in a later slot than the pool', async () => {
  await using store = await ephemeral.open();
  const [b1, b2] = branchFrom(null, 0, 2);
  await store.confirm(b1);
  await using node = await standby(store, [b1, b2]);
  node.chain.undo(null);
  node.chain.grow(blockOn(1, 5, null));
  await eventually(() => expect(node.deposed).toContain(7));
});

it('one that the pool has reached asks nothing more, until a block comes that the pool has not', async () => {
  await using store = await ephemeral.open();
  const [b1, b2, b3] = branchFrom(null, 0, 3);
  await using node = await standby(store, [b1]);
  await store.confirm(b1);
  await store.confirm(b2);
  // The first look finds the pool beyond this node; there is nothing to look for then.
  await eventually(() => expect(node.looks()).toBeGreaterThan(1));
  const looks = node.looks();
  await new Promise((resolve) => setTimeout(resolve, 3 * timeoutMs));
  expect([node.looks(), node.deposed]).toEqual([looks, []]);
  node.chain.grow(b2);
  node.chain.grow(b3);
  await eventually(() => expect(node.deposed).toContain(7));
});

it('with false, or an election that cannot depose, nothing is looked at', async () => {
  await using store = await ephemeral.open();
  const without = { runAsLeader: () => new Promise<never>(() => undefined), resign: async () => undefined };
  await using off = await standby(store, branchFrom(null, 0, 2), { progressTimeoutMs: false });
  expect(() => new Watcher({ election: without, pool: store, source: off.chain })).not.toThrow();
  const looks = off.looks();
  await new Promise((resolve) => setTimeout(resolve, 3 * timeoutMs));
  expect([off.looks(), off.deposed, off.warnings]).toEqual([looks, [], []]);
});

it('a pool out of reach deposes nobody, and is asked again', async () => {
  await using store = await ephemeral.open();
  let fails = false;
  const tip: MempoolStore['tip'] = (options) => (fails ? Promise.reject(new Error('away')) : store.tip(options));
  const pool = { tip, confirm: store.confirm.bind(store), rollback: store.rollback.bind(store) };
  await using node = await standby(store, branchFrom(null, 0, 2), { pool });
  fails = true;
  node.deposed.length = 0;
  await new Promise((resolve) => setTimeout(resolve, 4 * timeoutMs));
  expect(node.deposed.length).toBeLessThanOrEqual(1);
  fails = false;
  await eventually(() => expect(node.deposed.length).toBeGreaterThan(1));
});

it.each([0, -1, 1.5, 2 ** 31, Number.NaN, '5', null])('progressTimeoutMs %s is refused by its name', async (value) => {
  await using store = await ephemeral.open();
  const election = { runAsLeader: () => new Promise<never>(() => undefined), resign: async () => undefined };
  const options = { election, pool: store, source: new ScriptedChain(), progressTimeoutMs: value as never };
  expect(() => new Watcher(options)).toThrow(
    expect.objectContaining({ code: 'ERR_MEMPOOL_INVALID', details: { field: 'progressTimeoutMs' } }),
  );
});
