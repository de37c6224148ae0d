import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { type Mempool, type MempoolConfig, openMempool } from 'mempool-core';
import { redis } from 'mempool-redis';
import { Monitor } from 'mempool-server';
import { sqlite } from 'mempool-sqlite';
import { Random, seed } from 'mempool-testkit';
import { ownServer, scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { allEvents, RandomLife } from './random-pool.ts';
import { recount } from './recount.ts';

const program = join(import.meta.dirname, 'monitored-process.ts');
const rounds = 2;

/** Runs the process until it has made so many reports, then kills it. */
async function killAfter(config: MempoolConfig, own: number, reports: number, at: () => void): Promise<void> {
  const args = ['--conditions=mempool-source', program, JSON.stringify(config), String(own)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  let seen = 0;
  for await (const _ of createInterface({ input: child.stdout })) {
    at();
    seen += 1;
    if (seen >= reports) break;
  }
  expect(child.kill('SIGKILL')).toBe(true);
  await ended;
}

async function opened(config: MempoolConfig): Promise<Mempool> {
  const pool = await openMempool(config, { redis, sqlite });
  onTestFinished(() => pool.close());
  return pool;
}

async function expectRecount(monitor: Monitor, pool: Mempool): Promise<void> {
  await expect.poll(async () => monitor.cursor === (await pool.usage()).cursors.events).toBe(true);
  const { transitions: _, ...totals } = recount(await allEvents(pool));
  expect(monitor.summary()).toMatchObject({ ...totals, incompleteSince: null, missed: 0 });
}

const configs: Readonly<Record<string, () => Promise<MempoolConfig>>> = {
  sqlite: async () => ({ backend: 'sqlite', path: join(scratchFolder(), 'pool.sqlite') }),
  redis: async () => ({ backend: 'redis', url: (await ownServer()).url, ordering: 'priority' }),
};

test.for(Object.entries(configs))(
  `totals are exact after SIGKILLs of two servers on one pool, and saved ones never fall: %s (seed ${seed})`,
  async ([, configOf]) => {
    const random = new Random(seed);
    const config = await configOf();
    const pool = await opened(config);
    const witness = await Monitor.start(pool, { saveEveryMs: 100 });
    let highest = 0;
    const check = (): void => {
      const { Finalized, Dropped } = witness.stored().stages;
      expect(Finalized + Dropped).toBeGreaterThanOrEqual(highest);
      highest = Finalized + Dropped;
    };
    for (let round = 0; round < rounds; round++) {
      const kill = (): Promise<void> => killAfter(config, 1 + random.below(1_000_000), 2 + random.below(12), check);
      await Promise.all([kill(), kill()]);
    }
    await expectRecount(witness, pool);
    await witness.close();
    const next = await Monitor.start(pool);
    onTestFinished(() => next.close());
    check();
    expect(highest).toBeGreaterThan(0);
    await expectRecount(next, pool);
  },
);

async function onOwnRedis() {
  const server = await ownServer();
  const operator = new Redis(server.url);
  operator.on('error', () => undefined);
  onTestFinished(() => operator.disconnect());
  const pool = await opened({ backend: 'redis', url: server.url });
  const monitor = await Monitor.start(pool, { saveEveryMs: 20 });
  onTestFinished(() => monitor.close());
  return { server, operator, pool, monitor, random: new Random(seed) };
}

test(`a monitor goes back with a store that lost commits (seed ${seed})`, async () => {
  const { server, operator, pool, monitor, random } = await onOwnRedis();
  const life = new RandomLife(pool, random);
  const live = async (): Promise<void> => {
    for (let i = 0; i < 60; i++) await life.step();
    await expectRecount(monitor, pool);
    const { at } = monitor.summary();
    await expect.poll(() => monitor.summary().savedAt).toBe(at);
  };
  await live();
  await operator.call('SAVE');
  await live();
  await server.restart();
  await expect.poll(() => pool.usage().catch(() => null)).not.toBeNull();
  await live();
});

test(`a monitor begins anew with a pool that was made anew (seed ${seed})`, async () => {
  const { server, operator, pool, monitor, random } = await onOwnRedis();
  const life = new RandomLife(pool, random);
  for (let i = 0; i < 60; i++) await life.step();
  await expectRecount(monitor, pool);
  // It learns of the flush from its stream, or from a save that meets another version, whichever comes first.
  for (let round = 0; round < 4; round++) {
    await operator.call('FLUSHALL');
    const anew = await opened({ backend: 'redis', url: server.url });
    const next = new RandomLife(anew, random);
    for (let i = 0; i < 20; i++) await next.step();
    await expectRecount(monitor, anew);
    const { pending, lastSeq } = await anew.usage();
    await expect.poll(() => monitor.stored().stages.Pending).toBe(pending);
    // With some seeds a round has nothing but blocks.
    expect(monitor.timeline().items.length > 0).toBe(lastSeq > 0);
    await anew.close();
  }
});
