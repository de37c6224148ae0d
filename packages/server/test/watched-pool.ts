import type { Mempool } from 'mempool-core';
import { Monitor, type MonitoredPool, type MonitorOptions } from 'mempool-server';
import { expect, onTestFinished } from 'vitest';
import { clockedPool } from './random-pool.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
/** The beginning of an hour. */
export const startMs = 500_000 * hourMs;
export const hashOf = (n: number): string => n.toString(16).padStart(64, '0');
const ranges = ['2h', '24h', '7d', '30d'] as const;

export async function started(pool: MonitoredPool, options?: MonitorOptions): Promise<Monitor> {
  const monitor = await Monitor.start(pool, options);
  onTestFinished(() => monitor.close());
  return monitor;
}

export async function opened(further: { readonly maxEvents?: number } = {}) {
  const clock = { now: startMs };
  const pool = await clockedPool('fifo', clock, further);
  onTestFinished(() => pool.close());
  return { pool, clock, now: () => clock.now };
}

export async function caughtUp(monitor: Monitor, pool: Mempool): Promise<void> {
  const { cursors } = await pool.usage();
  await expect.poll(() => monitor.summary().cursor).toBe(cursors.events);
}

export function submit(pool: Mempool, first: number, count: number): Promise<unknown> {
  const hashes = Array.from({ length: count }, (_, i) => hashOf(first + i));
  return pool.receive(hashes.map((hash) => ({ hash, payload: Buffer.from(hash) })));
}

/** Everything that a monitor shows. */
export function shown(monitor: Monitor) {
  const charts = ranges.map((range) => monitor.stats(range));
  return { summary: monitor.summary(), charts, blocks: monitor.blocks(200), last: monitor.transitions(1_000) };
}

/** A pool as a monitor sees it, with other methods. */
export function around(pool: Mempool, methods: Partial<MonitoredPool>): MonitoredPool {
  return {
    usage: (...given) => pool.usage(...given),
    getRecord: (...given) => pool.getRecord(...given),
    putRecord: (...given) => pool.putRecord(...given),
    subscribe: (...given) => pool.subscribe(...given),
    ...methods,
  };
}

/** Calls that wait in `pass` until `open`. */
export function gate() {
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const pass = (): Promise<void> => {
    reached.resolve();
    return opened.promise;
  };
  return { pass, reached: reached.promise, open: opened.resolve };
}
