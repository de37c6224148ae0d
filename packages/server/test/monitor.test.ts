import type { Mempool } from 'mempool-core';
import { Monitor } from 'mempool-server';
import { Random, seed } from 'mempool-testkit';
import { expect, onTestFinished, test } from 'vitest';
import { allEvents, clockedPool, RandomLife } from './random-pool.ts';
import { recount } from './recount.ts';

async function started(pool: Mempool, options?: Parameters<typeof Monitor.start>[1]): Promise<Monitor> {
  const monitor = await Monitor.start(pool, options);
  onTestFinished(() => monitor.close());
  return monitor;
}

async function caughtUp(monitor: Monitor, pool: Mempool): Promise<void> {
  const { cursors } = await pool.usage();
  await expect.poll(() => monitor.cursor).toBe(cursors.events);
}

for (const ordering of ['fifo', 'priority'] as const)
  test(`a monitor that runs counts what a recount of all events counts, in a ${ordering} pool (seed ${seed})`, async () => {
    const clock = { now: 1_800_000_000_000 };
    const pool = await clockedPool(ordering, clock);
    onTestFinished(() => pool.close());
    const life = new RandomLife(pool, new Random(seed), clock);
    for (let i = 0; i < 100; i++) await life.step();
    const monitor = await started(pool, { now: () => clock.now });
    expect(monitor.cursor).toBe((await pool.usage()).cursors.events);
    for (let i = 0; i < 400; i++) await life.step();
    await caughtUp(monitor, pool);
    const { transitions: _, causes, ...totals } = recount(await allEvents(pool));
    expect(monitor.summary()).toMatchObject({ ...totals, causes, incompleteSince: null, missed: 0 });
  });
