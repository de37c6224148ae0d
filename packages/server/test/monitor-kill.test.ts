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
import { recount, recountOf } from './recount.ts';

const program = join(import.meta.dirname, 'monitored-process.ts');
const rounds = 2;

/** Runs the process until it has made so many reports, then kills it. */
async function killAfter(config: MempoolConfig, own: number, reports: number): Promise<void> {
  const args = ['--conditions=mempool-source', program, JSON.stringify(config), String(own)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  let seen = 0;
  for await (const _ of createInterface({ input: child.stdout })) {
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
  await expect.poll(async () => monitor.summary().cursor === (await pool.usage()).cursors.events).toBe(true);
  expect(recountOf(monitor)).toEqual(recount(await allEvents(pool)));
}

const configs: Readonly<Record<string, () => Promise<MempoolConfig>>> = {
  sqlite: async () => ({ backend: 'sqlite', path: join(scratchFolder(), 'pool.sqlite') }),
  redis: async () => ({ backend: 'redis', url: (await ownServer()).url, ordering: 'priority' }),
};

test.for(Object.entries(configs))(
  `numbers are exact after SIGKILLs of two servers on one pool, and both show the same: %s (seed ${seed})`,
  async ([, configOf]) => {
    const random = new Random(seed);
    const config = await configOf();
    const pool = await opened(config);
    const witness = await Monitor.start(pool, { saveEveryMs: 100 });
    for (let round = 0; round < rounds; round++) {
      const kill = (): Promise<void> => killAfter(config, 1 + random.below(1_000_000), 2 + random.below(12));
      await Promise.all([kill(), kill()]);
    }
    await expectRecount(witness, pool);
    // A start goes on from a record, and not from the first event.
    expect(await pool.getRecord('monitor')).not.toBeNull();
    const next = await Monitor.start(pool);
    onTestFinished(() => next.close());
    await expectRecount(next, pool);
    expect(charts(next)).toEqual(charts(witness));
    await witness.close();
  },
);

const charts = (monitor: Monitor) => [monitor.stats('24h').steps.slice(0, -1), monitor.stats('30d').steps.slice(0, -1)];

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
    expect(monitor.summary().stages.Pending).toBe(pending);
    // With some seeds a round has nothing but blocks.
    expect(monitor.transitions().length > 0).toBe(lastSeq > 0);
    await anew.close();
  }
});
