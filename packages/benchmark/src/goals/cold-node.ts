// A process that opens a large priority pool for the first time and makes one call, or that writes to it meanwhile.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { anyStore } from 'mempool-core/backend';
import { pricedTransactions, priorityOptions } from '../setup/samples.ts';
import { loadSubject } from '../setup/subject.ts';
import type { ColdFigures, ColdTold } from './cold.ts';

const [path, pool] = process.argv.slice(2) as [string, string];
const subject = await loadSubject(path);
const resolutionMs = 1;
let isWriting = false;

/** Opens the pool and writes to it. */
async function open(): Promise<ColdFigures> {
  const call = pricedTransactions(1);
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  // It counts from its first tick on.
  await new Promise((resolve) => setTimeout(resolve, 5 * resolutionMs));
  const start = performance.now();
  const store = anyStore(await subject.open(pool, priorityOptions));
  await store.receive(call);
  const tookMs = performance.now() - start;
  // The turn in which the answer came counts, too.
  await new Promise((resolve) => setTimeout(resolve, 2 * resolutionMs));
  delay.disable();
  await store.close();
  return { tookMs, blockMs: delay.max / 1e6 - resolutionMs };
}

async function write(): Promise<void> {
  const store = anyStore(await subject.open(pool, priorityOptions));
  isWriting = true;
  process.send?.({ tookMs: 0, blockMs: 0 });
  for (; isWriting; await turn()) await store.receive(pricedTransactions(1));
  await store.close();
  process.send?.({ tookMs: 0, blockMs: 0 });
}

async function obey(told: ColdTold): Promise<unknown> {
  switch (told) {
    case 'open':
      return process.send?.(await open());
    case 'write':
      return write();
    case 'rest':
      isWriting = false;
      return null;
  }
}

process.on('message', obey);
process.once('disconnect', () => process.exit());
process.send?.({ tookMs: 0, blockMs: 0 });
