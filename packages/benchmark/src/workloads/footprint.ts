import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Redis } from 'ioredis';
import type { Transaction } from 'mempool-core';
import type { BenchBackend } from '../backends/backend.ts';
import type { Limit } from '../limits/limit.ts';
import type { Costs, Series } from '../report/row.ts';
import { type BenchContext, isWanted } from '../runner/context.ts';
import { FilledPool } from './pool.ts';
import { freshTransactions, payloadBytes } from './sample.ts';

const callSize = 1_000;
const heapProgram = fileURLToPath(new URL('./heap.ts', import.meta.url));

/** Bytes of heap for each of `count` transactions, in a process of its own. */
export async function heapBytes(path: string, count: number): Promise<number> {
  const flags = ['--expose-gc', '--conditions=mempool-source', heapProgram, path, String(count)];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  return Number(stdout);
}

/** Bytes in use once what was unlinked before is freed. */
export async function usedMemory(redis: Redis): Promise<number> {
  for (;;) {
    const info = await redis.info('memory');
    const value = (field: string): number => Number(new RegExp(`${field}:(\\d+)`).exec(info)?.[1]);
    if (value('lazyfree_pending_objects') === 0) return value('used_memory');
  }
}

/** What a place holds: everything below a folder, or a server. */
type Gauge = () => Promise<number>;

function diskGauge(folder: string): Gauge {
  return async () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((bytes, { parentPath, name }) => bytes + statSync(join(parentPath, name)).size, 0);
}

/** Something to fill, all of whose bytes are where the gauge looks once it is settled. */
interface Vessel {
  settle(): unknown;
  resume(): unknown;
  fill(batch: readonly Transaction[]): unknown;
}

/** Bytes beyond the payload for each of `n`. */
async function grown(gauge: Gauge, n: number, vessel: Vessel): Promise<number> {
  await vessel.settle();
  const before = await gauge();
  await vessel.resume();
  let payload = 0;
  for (let left = n; left > 0; left -= callSize) {
    const batch = freshTransactions(Math.min(left, callSize));
    payload += payloadBytes(batch);
    await vessel.fill(batch);
  }
  await vessel.settle();
  return ((await gauge()) - before - payload) / n;
}

async function oursGrown({ subject }: BenchBackend, gauge: Gauge, n: number): Promise<number> {
  const pool = new FilledPool(subject, n);
  await pool.reopen();
  try {
    // Only what is closed has all in its file.
    const vessel = {
      settle: () => pool.store.close(),
      resume: () => pool.reopen(),
      fill: (batch: readonly Transaction[]) => pool.store.receive(batch),
    };
    return await grown(gauge, n, vessel);
  } finally {
    await pool.close();
  }
}

async function bareGrown(limit: Limit, gauge: Gauge, n: number): Promise<number> {
  const bare = await limit.open();
  try {
    const vessel = {
      settle: () => bare.shut?.(),
      resume: () => bare.reopen?.(),
      fill: (batch: readonly Transaction[]) => bare.insert(batch),
    };
    return await grown(gauge, n, vessel);
  } finally {
    await bare.close();
  }
}

/** Memory of each Pending transaction beyond its payload, in the heap, the file or the server that keeps it; once for each n, as it hardly varies. */
export async function footprintSeries(backend: BenchBackend, context: BenchContext): Promise<Series[]> {
  const id = 'memory';
  const title = 'memory beyond the payload';
  if (context.pass.index > 0 || !isWanted(context, { id, title })) return [];
  const costs: Costs[] = [];
  for (const n of context.sizes) {
    console.error(`${backend.name}: memory of ${n.toLocaleString('en')}`);
    costs.push(await footprint(backend, context, n));
  }
  return [{ head: { backend: backend.name, id, title, unit: 'bytes', per: 'transaction' }, costs }];
}

function placeOf({ name, subject }: BenchBackend, { redis }: BenchContext): 'heap' | 'Redis' | 'file' {
  if (!subject.backend.capabilities.durable) return 'heap';
  return name === 'redis' && redis !== null ? 'Redis' : 'file';
}

async function footprint(backend: BenchBackend, context: BenchContext, n: number): Promise<Costs> {
  const [limit] = backend.limits;
  const ours = [await poolBytes(backend, context, n)];
  if (limit === undefined) return { n, ours, limits: new Map() };
  const gauge = gaugeOf(backend, context);
  const bare = gauge === null ? await heapBytes('bare', n) : await bareGrown(limit, gauge, n);
  return { n, ours, limits: new Map([[limit.name, [bare]]]) };
}

/** Bytes beyond the payload of each of `n` Pending transactions. */
export function poolBytes(backend: BenchBackend, context: BenchContext, n: number): Promise<number> {
  const gauge = gaugeOf(backend, context);
  return gauge === null ? heapBytes(backend.path, n) : oursGrown(backend, gauge, n);
}

/** `null` for the heap: that is looked at from within a process of its own. */
function gaugeOf(backend: BenchBackend, context: BenchContext): Gauge | null {
  const { redis, folder } = context;
  switch (placeOf(backend, context)) {
    case 'heap':
      return null;
    case 'Redis':
      return redis && (() => usedMemory(redis.client));
    case 'file':
      return diskGauge(folder);
  }
}
