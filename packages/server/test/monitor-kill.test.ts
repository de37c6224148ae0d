import { Redis } from 'ioredis';
import { type Mempool, type MempoolConfig, openMempool } from 'mempool-core';
import { redis } from 'mempool-redis';
import { Monitor } from 'mempool-server';
import { Random, seed } from 'mempool-testkit';
import { ownServer } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { allEvents, RandomLife } from './random-pool.ts';
import { recount, recountOf } from './recount.ts';

async function opened(config: MempoolConfig): Promise<Mempool> {
  const pool = await openMempool(config, { redis });
  onTestFinished(() => pool.close());
  return pool;
}

async function expectRecount(monitor: Monitor, pool: Mempool): Promise<void> {
  await expect.poll(async () => monitor.summary().cursor === (await pool.usage()).cursors.events).toBe(true);
  expect(recountOf(monitor)).toEqual(recount(await allEvents(pool)));
}

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
