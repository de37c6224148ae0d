// Run in a process of its own: bytes of heap that a subject, or a bare Map, takes for each Pending transaction. Payloads lie outside.

import { BareMap } from '../limits/memory.ts';
import { freshCalls, freshTransactions } from '../setup/samples.ts';
import { loadSubject } from '../setup/subject.ts';

const [path = '', count = '0'] = process.argv.slice(2);
const total = Number(count);
const warm = 1_000;
const store = path === 'bare' ? null : await (await loadSubject(path)).open('heap');
const map = new BareMap();

async function fill(wanted: number): Promise<void> {
  for (const call of freshCalls(wanted, freshTransactions))
    store === null ? map.insert(call) : await store.receive(call);
}

function used(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

await fill(warm);
const before = used();
await fill(total);
console.log(Math.round((used() - before) / total));
map.close();
await store?.close();
