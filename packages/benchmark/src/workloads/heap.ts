// Run in a process of its own: heap that a subject, or a bare Map, takes for each Pending transaction, in bytes. Payloads lie outside.

import { loadSubject } from '../backends/subject.ts';
import { BareMap } from '../limits/map.ts';
import { fillPending } from './fill.ts';
import { freshTransactions } from './sample.ts';

const [path = '', count = '0'] = process.argv.slice(2);
const total = Number(count);
const warm = 1_000;

function used(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

async function bytesOf(fill: (count: number) => unknown): Promise<number> {
  await fill(warm);
  const before = used();
  await fill(total);
  return Math.round((used() - before) / total);
}

if (path === 'bare') {
  const map = new BareMap();
  console.log(await bytesOf((count) => map.insert(freshTransactions(count))));
  map.close();
} else {
  const store = await (await loadSubject(path)).open('heap');
  console.log(await bytesOf((count) => fillPending(store, count)));
  await store.close();
}
