// Run in a process of its own: bytes of heap and typed arrays that a subject takes for each Pending transaction beyond its payload.
import type { Transaction } from 'mempool-core';
import { freshCalls, freshTransactions, payloadBytes, pricedTransactions, priorityOptions } from '../setup/samples.ts';
import { loadSubject } from '../setup/subject.ts';

const [path, count, ordering, pool, place] = process.argv.slice(2) as [string, string, string, string, string];
const isPriority = ordering === 'priority';
const store = await (await loadSubject(path)).open(pool, isPriority ? priorityOptions : {});

/** Of the payloads that this process keeps. */
let payloads = 0;

async function fill(wanted: number): Promise<void> {
  for (const call of freshCalls<Transaction>(wanted, isPriority ? pricedTransactions : freshTransactions)) {
    if (place === 'heap') payloads += payloadBytes(call);
    await store.receive(call);
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

await fill(1_000);
const before = await used();
await fill(Number(count));
console.log(Math.round(((await used()) - before) / Number(count)));
await store.close();
