import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { LogLevel, OpenOptions } from 'mempool-core';
import { describe, expect, it } from 'vitest';
import { hash, ManualTimer, open, openPriority, pays, rest, transaction, transactions, upTo } from './tap.ts';

/** A pool that sweeps when the test lets a minute pass. */
async function openSwept(limits: OpenOptions<'priority'> = {}) {
  const timer = new ManualTimer();
  const time = { nowMs: 1_000_000 };
  const logged: [LogLevel, unknown][] = [];
  const opened = await openPriority(
    {
      sweepEveryMs: 60_000,
      schedule: timer.schedule,
      log: (level, _, fields) => logged.push([level, fields?.error]),
      height: () => 7,
    },
    { ttlMs: 1_000, now: () => time.nowMs, ...limits },
  );
  const sweeps = (): number => opened.count('sweep');
  return { ...opened, timer, time, logged, sweeps };
}

describe('a pool that sweeps by itself', () => {
  it('drops what waited too long, without any block, and goes on doing so', async () => {
    const { pool, timer, time } = await openSwept();
    for (const n of [1, 2]) {
      await pool.submit(transaction(n));
      time.nowMs += 1_001;
      const expired = pool.waitFor(hash(n));
      timer.runOut();
      expect(await expired).toMatchObject({ kind: 'dropped', status: { stage: 'Dropped', reason: 'expired' } });
      await rest();
    }
    expect(timer.delays).toEqual([60_000, 60_000, 60_000]);
  });

  it('sweeps on until nothing is left, in bounded steps', async () => {
    const { pool, timer, time, sweeps } = await openSwept();
    for (const n of [0, 1, 2]) await pool.receive(upTo(1_000).map((i) => transaction(n * 1_000 + i)));
    time.nowMs += 1_001;
    const last = pool.waitFor(hash(3_000));
    timer.runOut();
    await last;
    await rest();
    expect([sweeps(), (await pool.usage()).pending, timer.waiting]).toEqual([3, 0, 1]);
  });

  it('sweeps at the height that the pool is told', async () => {
    const { pool, timer } = await openSwept();
    await pool.submit(pays(1, 0n, { expiresAtHeight: 6 }));
    await pool.submit(pays(2, 0n, { expiresAtHeight: 8 }));
    const expired = pool.waitFor(hash(1));
    timer.runOut();
    expect(await expired).toMatchObject({ kind: 'dropped', status: { reason: 'expired' } });
    expect(await pool.status(hash(2))).toMatchObject({ stage: 'Pending' });
  });

  it('never begins a sweep while one is under way', async () => {
    const { pool, timer, before, sweeps } = await openSwept();
    await pool.submit(transaction(1));
    const { promise, resolve } = Promise.withResolvers<void>();
    before('sweep', () => promise);
    timer.runOut();
    await rest();
    expect([sweeps(), timer.waiting]).toEqual([1, 0]);
    resolve();
    await rest();
    expect([sweeps(), timer.waiting]).toEqual([1, 1]);
  });

  it('stops when it closes, also between two steps of a sweep, and says nothing', async () => {
    const { pool, timer, time, sweeps, logged, before } = await openSwept();
    await pool.receive(transactions(...upTo(1_000)));
    await pool.submit(transaction(1_001));
    time.nowMs += 1_001;
    const closing = Promise.withResolvers<void>();
    before('sweep', () => closing.resolve(pool.close()));
    timer.runOut();
    await closing.promise;
    await rest();
    expect([sweeps(), timer.waiting, logged]).toEqual([1, 0, []]);
  });

  it('tells the log of an outage once, and again of the next one', async () => {
    const { timer, logged, before } = await openSwept();
    const [first, second] = [new Error('first'), new Error('second')];
    for (const failure of [first, first, null, second]) {
      before('usage', () => {
        if (failure !== null) throw failure;
      });
      timer.runOut();
      await rest();
    }
    expect(logged.map(([, error]) => (error as Error).cause)).toEqual([first, second]);
  });

  it('does so every second, unless it is told otherwise or never', async () => {
    const timers = [undefined, 250, Number.POSITIVE_INFINITY].map((sweepEveryMs) => ({
      sweepEveryMs,
      timer: new ManualTimer(),
    }));
    for (const { sweepEveryMs, timer } of timers) await open({ sweepEveryMs, schedule: timer.schedule });
    expect(timers.map(({ timer }) => timer.delays)).toEqual([[1_000], [250], []]);
  });

  it('leaves a pool alone that has nothing to end', async () => {
    const timer = new ManualTimer();
    const { pool, count } = await open({ schedule: timer.schedule });
    const look = async (): Promise<number> => {
      timer.runOut();
      await rest();
      return count('sweep');
    };
    const sweeps = [await look()];
    await pool.submit(transaction(1));
    sweeps.push(await look());
    await pool.take({}, { owner: 'ann', claimMs: 60_000 });
    sweeps.push(await look());
    await pool.release(hash(1), { notBeforeMs: Date.now() + 60_000 });
    sweeps.push(await look());
    await pool.drop(hash(1), 'failed');
    sweeps.push(await look());
    expect(sweeps).toEqual([0, 0, 1, 2, 2]);
  });

  it('holds up no call, and waits for none', async () => {
    const { pool, timer, before, sweeps } = await openSwept();
    await pool.submit(transaction(1));
    const [calls, sweeping] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    before('receive', () => calls.promise);
    before('sweep', () => sweeping.promise);
    const waiting = pool.submit(transaction(2));
    await rest();
    timer.runOut();
    await rest();
    expect(sweeps()).toBe(1);
    calls.resolve();
    expect(await waiting).toMatchObject({ kind: 'received' });
    await pool.flush();
    sweeping.resolve();
  });

  it('waits with nobody, and keeps no process alive', async () => {
    const program = fileURLToPath(new URL('idle-sweeper.ts', import.meta.url));
    const flags = ['--conditions=mempool-source', program];
    const { stdout } = await promisify(execFile)(process.execPath, flags, { timeout: 120_000 });
    expect(stdout.trim()).toBe('open');
  });
});
