// Makes call after call on a pool, from number `argv[3]` on, and says the number of each that was answered.
import { writeSync } from 'node:fs';
import { sqlite } from 'mempool-sqlite';
import { callOf } from './writer-calls.ts';

const [path = '', first = '', synchronous] = process.argv.slice(2);
const store = await sqlite.open({
  path,
  synchronous: synchronous === 'normal' ? 'normal' : 'full',
  finalizeThreshold: Number.POSITIVE_INFINITY,
  dropThreshold: Number.POSITIVE_INFINITY,
});
for (let n = Number(first); ; n++) {
  await callOf(store, n);
  writeSync(1, `${n}\n`);
}
