import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Redis } from 'ioredis';
import type { Ordering, Transaction } from 'mempool-core';
import type { BenchBackend } from '../limits/backend.ts';
import type { Bare } from '../limits/limit.ts';
import { type Costs, footprintHead, type Series } from '../report/row.ts';
import { atMost, type BenchContext, isWanted } from '../setup/context.ts';
import { freshCalls, freshTransactions, payloadBytes } from '../setup/samples.ts';
import { FilledPool } from '../workloads/pools.ts';
import { head, type Measure } from './measure.ts';

const heapProgram = fileURLToPath(new URL('./heap.ts', import.meta.url));

let pools = 0;

export interface HeapFigures {
  /** Bytes of heap and typed arrays per transaction, beyond the payload. */
  readonly bytes: number;
  /** The longest pause for garbage, in milliseconds; 0 for a FIFO pool. */
  readonly pauseMs: number;
}

/**
 * Measures with `count` transactions, in a child process.
 * @param path the module of a subject, or `bare` for a plain `Map`
 * @param pool ordering, name, and `elsewhere` if this process keeps no payloads; else a FIFO pool in memory
 */
async function heapFigures(path: string, count: number, ...pool: readonly string[]): Promise<HeapFigures> {
  const flags = ['--expose-gc', '--conditions=mempool-source', heapProgram, path, String(count), ...pool];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  return JSON.parse(stdout);
}

/** Bytes of heap and typed arrays per transaction of a FIFO pool, beyond the payload. */
export async function heapBytes(path: string, count: number): Promise<number> {
  return (await heapFigures(path, count)).bytes;
}

/** What a priority pool takes of the memory of its process beyond payloads. `most`: bytes for each transaction. */
export function heapGoals({ subject, path, place }: BenchBackend, context: BenchContext, most: number): Measure[] {
  const count = atMost(context, 100_000);
  const what = `priority pool of ${count.toLocaleString('en')}, a fresh process`;
  const sample = (of: keyof HeapFigures) => async () => {
    const pool = `bench-heap-${process.pid}-${pools++}`;
    const figures = await heapFigures(
      path,
      count,
      'priority' satisfies Ordering,
      pool,
      place === 'heap' ? 'here' : 'elsewhere',
    );
    await subject.destroy?.(pool);
    return figures[of];
  };
  return [
    {
      ...head(subject, `heap and typed arrays per transaction, ${what}`, ['at most', most], 'bytes', 1),
      sample: sample('bytes'),
    },
    {
      ...head(subject, `longest pause for garbage while 20,000 are evicted by 100, ${what}`, ['at most', 20], 'ms', 3),
      warmups: 0,
      sample: sample('pauseMs'),
    },
  ];
}

/** Bytes in use once everything that was unlinked before is freed. */
export async function usedMemory(redis: Redis): Promise<number> {
  for (;;) {
    const info = await redis.info('memory');
    const value = (field: string): number => Number(new RegExp(`${field}:(\\d+)`).exec(info)?.[1]);
    if (value('lazyfree_pending_objects') === 0) return value('used_memory');
  }
}

async function diskBytes(folder: string): Promise<number> {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((bytes, { parentPath, name }) => bytes + statSync(join(parentPath, name)).size, 0);
}

/** Holds transactions; all their bytes can be seen from outside once it is settled. */
interface Vessel {
  settle?(): unknown;
  resume?(): unknown;
  fill(transactions: readonly Transaction[]): unknown;
}

function vesselOf(bare: Bare): Vessel {
  return { settle: () => bare.shut?.(), resume: () => bare.reopen?.(), fill: (batch) => bare.insert(batch) };
}

/** Bytes beyond the payload for each of `n`. */
export async function grown({ redis, folder }: BenchContext, place: Place, n: number, vessel: Vessel): Promise<number> {
  const gauge = () => (place === 'server' && redis !== null ? usedMemory(redis.client) : diskBytes(folder));
  await vessel.settle?.();
  const before = await gauge();
  await vessel.resume?.();
  let payload = 0;
  for (const batch of freshCalls(n, freshTransactions)) {
    payload += payloadBytes(batch);
    await vessel.fill(batch);
  }
  await vessel.settle?.();
  return ((await gauge()) - before - payload) / n;
}

type Place = BenchBackend['place'];

/** Bytes beyond the payload of each of `n` Pending transactions, in the heap, the file or the server that keeps them. */
export async function poolBytes(
  { subject, path, place }: BenchBackend,
  context: BenchContext,
  n: number,
): Promise<number> {
  if (place === 'heap') return heapBytes(path, n);
  const pool = new FilledPool(subject, n);
  await pool.reopen();
  try {
    // Only a closed pool has everything in its file.
    return await grown(context, place, n, {
      settle: () => pool.store.close(),
      resume: () => pool.reopen(),
      fill: (batch) => pool.store.receive(batch),
    });
  } finally {
    await pool.close();
  }
}

async function limitBytes({ limits, place }: BenchBackend, context: BenchContext, n: number): Promise<Costs['limits']> {
  const [limit] = limits;
  if (place === 'heap') return new Map([[limit.name, [await heapBytes('bare', n)]]]);
  const bare = await limit.open();
  try {
    return new Map([[limit.name, [await grown(context, place, n, vesselOf(bare))]]]);
  } finally {
    await bare.close();
  }
}

/** Memory of each Pending transaction beyond its payload; once for each n, as it hardly varies. */
export async function footprintSeries(backend: BenchBackend, context: BenchContext): Promise<Series[]> {
  const head = footprintHead(backend.name);
  if (context.pass.index > 0 || !isWanted(context, head)) return [];
  console.error(`${backend.name}: ${head.title}`);
  const costs: Costs[] = [];
  for (const n of context.sizes) {
    const ours = [await poolBytes(backend, context, n)];
    costs.push({ n, ours, limits: await limitBytes(backend, context, n) });
  }
  return [{ head, costs }];
}
