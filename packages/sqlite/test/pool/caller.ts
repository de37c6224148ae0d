// Makes call after call on a pool, from number `argv[3]` on, and prints the number of each that was answered.
import { writeSync } from 'node:fs';
import type { Ordering } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { callOf, smallPool } from './calls.ts';

const [path = '', first = '', ordering = '', synchronous = ''] = process.argv.slice(2);
const store = await sqlite.open({
  ...smallPool(ordering as Ordering),
  path,
  synchronous: synchronous as 'full' | 'normal',
});
for (let n = Number(first); ; n++) {
  await callOf(store, n);
  writeSync(1, `${n}\n`);
}
