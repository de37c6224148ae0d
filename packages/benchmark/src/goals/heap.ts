// Run in a process of its own: bytes of memory that a subject, or a bare Map, takes for each Pending transaction beyond its payload: heap
// and typed arrays. Of a priority pool also the longest pause for garbage, while newcomers evict by 100.
import { PerformanceObserver } from 'node:perf_hooks';
import type { Transaction } from 'mempool-core';
import { BareMap } from '../limits/memory.ts';
import { freshCalls, freshTransactions, payloadBytes, pricedTransactions, priorityOptions } from '../setup/samples.ts';
import { loadSubject } from '../setup/subject.ts';
import { checkAdmitted } from '../workloads/pools.ts';
import type { HeapFigures } from './footprint.ts';

const [path = '', count = '0', ordering = 'fifo', pool = 'heap', place = 'here'] = process.argv.slice(2);
const total = Number(count);
const warm = 1_000;
const evictions = 20_000;
const isPriority = ordering === 'priority';
const subject = path === 'bare' ? null : await loadSubject(path);
const store = (await subject?.open(pool, isPriority ? priorityOptions : {})) ?? null;
const map = new BareMap();

/** Of the payloads that this process keeps. */
let payloads = 0;

async function fill(wanted: number): Promise<void> {
  for (const call of freshCalls<Transaction>(wanted, isPriority ? pricedTransactions : freshTransactions)) {
    if (place !== 'elsewhere') payloads += payloadBytes(call);
    store === null ? map.insert(call) : await store.receive(call);
  }
}

/** Without payloads. Memory of old buffers is given back a few turns after the collection. */
async function used(): Promise<number> {
  for (let i = 0; i < 5; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers - payloads;
}

/** Milliseconds. Each newcomer is better than all that were there before. */
async function longestPause(): Promise<number> {
  if (store?.ordering !== 'priority') return 0;
  await store.setLimits({ maxTxs: total + warm });
  let longest = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  });
  observer.observe({ entryTypes: ['gc'] });
  for (let done = 0; done < Math.min(evictions, total); done += 100)
    checkAdmitted(await store.receive(pricedTransactions(100, 1n << 44n)));
  // The observer is told of a collection in a later turn.
  await new Promise((resolve) => setTimeout(resolve, 50));
  observer.disconnect();
  return longest;
}

await fill(warm);
const before = await used();
await fill(total);
const bytes = Math.round(((await used()) - before) / total);
const figures: HeapFigures = { bytes, pauseMs: await longestPause() };
console.log(JSON.stringify(figures));
map.close();
await store?.close();
