import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Ordering } from 'mempool-core';
import type { BenchBackend } from '../limits/backend.ts';
import { atMost, type BenchContext, type Place } from '../setup/context.ts';
import { freshCalls, freshTransactions, payloadBytes } from '../setup/samples.ts';
import { FilledPool } from '../workloads/pools.ts';
import { head, type Measure } from './measure.ts';

const heapProgram = fileURLToPath(new URL('./heap.ts', import.meta.url));
let pools = 0;

/** The most bytes of a transaction beyond its payload: of a FIFO pool where it is kept, of a priority pool in the heap of a process. */
const most: Readonly<Record<Place, Readonly<Record<Ordering, number>>>> = {
  heap: { fifo: 650, priority: 1_250 },
  file: { fifo: 450, priority: 700 },
  server: { fifo: 450, priority: 700 },
};
const kept: Readonly<Record<Place, string>> = { heap: 'heap and typed arrays', file: 'file', server: 'server memory' };

/** Memory of a transaction beyond its payload. */
export function footprintGoals(backend: BenchBackend, context: BenchContext): Measure[] {
  const { subject, place } = backend;
  const count = atMost(context, 100_000);
  const measure = (title: string, ordering: Ordering, sample: () => Promise<number>): Measure => ({
    ...head(subject, `memory: ${title} beyond the payload`, ['at most', most[place][ordering]], 'bytes', 1),
    sample,
  });
  const [fifo, priority] = [
    `of ${count.toLocaleString('en')} Pending`,
    `priority pool of ${count.toLocaleString('en')}`,
  ];
  return [
    measure(`${kept[place]}, ${fifo}, for each`, 'fifo', () =>
      place === 'heap' ? heapBytes(backend, count, 'fifo') : grown(backend, context, count),
    ),
    measure(`heap of a process, ${priority}, for each`, 'priority', () => heapBytes(backend, count, 'priority')),
  ];
}

/** Bytes of heap and typed arrays for each of `count` transactions, in a process of its own. */
async function heapBytes({ subject, path, place }: BenchBackend, count: number, ordering: Ordering): Promise<number> {
  const pool = `bench-heap-${process.pid}-${pools++}`;
  const flags = ['--expose-gc', '--conditions=mempool-source', heapProgram, path, String(count), ordering, pool, place];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  await subject.destroy?.(pool);
  return Number(stdout);
}

/** Bytes beyond the payload for each of `n`, in the server or the folder. A file is complete only while it is closed. */
async function grown({ subject }: BenchBackend, { redis, folder }: BenchContext, n: number): Promise<number> {
  const gauge = () => (redis === null ? diskBytes(folder) : redis.usedMemory());
  const pool = new FilledPool(subject, n);
  await pool.reopen();
  try {
    await pool.store.close();
    const before = await gauge();
    await pool.reopen();
    let payload = 0;
    for (const batch of freshCalls(n, freshTransactions)) {
      payload += payloadBytes(batch);
      await pool.store.receive(batch);
    }
    await pool.store.close();
    return ((await gauge()) - before - payload) / n;
  } finally {
    await pool.close();
  }
}

function diskBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((bytes, { parentPath, name }) => bytes + statSync(join(parentPath, name)).size, 0);
}
