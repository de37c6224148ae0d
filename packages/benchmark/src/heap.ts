// Run in a process of its own: heap that a store takes for each Pending transaction, in bytes. Payloads lie outside the heap.
import { fillPending } from './fill.ts';
import { loadSubject } from './subject.ts';

const [path = '', count = '0'] = process.argv.slice(2);
const total = Number(count);

function used(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const subject = await loadSubject(path);
const store = await subject.open('heap');
await fillPending(store, 1_000);
const before = used();
await fillPending(store, total);
console.log(Math.round((used() - before) / total));
await store.close();
