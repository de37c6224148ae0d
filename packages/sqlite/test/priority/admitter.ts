// Makes call after call on a priority pool, from number `argv[3]` on, and says the number of each that was answered.
import { writeSync } from 'node:fs';
import { sqlite, sqliteExclusive } from 'mempool-sqlite';
import { callOf, smallPool } from './admitter-calls.ts';

const [path = '', first = '', name = ''] = process.argv.slice(2);
const backend = name === sqliteExclusive.name ? sqliteExclusive : sqlite;
const store = await backend.open({ ...smallPool, path });
for (let n = Number(first); ; n++) {
  await callOf(store, n);
  writeSync(1, `${n}\n`);
}
