// Run in a process of its own: heap that a store takes for each Pending transaction beyond its payload, in bytes.
import { fillPending } from './fill.ts';
import { loadSubject } from './subject.ts';

const [path = '', count = '0'] = process.argv.slice(2);
const total = Number(count);

function used(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const subject = await loadSubject(path);
const store = await subject.open('heap');
await fillPending(store, 1_000);
const before = used();
await fillPending(store, total);
const after = used();
let bytes = 0;
let last = 0;
for (let page = await store.peekPending({ limit: 1_000 }); page.length > 0; ) {
  for (const { payload, seq } of page) if (seq > 1_000) bytes += payload.length;
  last = page.at(-1)?.seq ?? last;
  page = await store.peekPending({ limit: 1_000, after: last });
}
console.log(Math.round((after - before - bytes) / total));
await store.close();
