// Opens a pool, writes to it, and keeps it open until it is killed.
import { sqlite } from 'mempool-sqlite';
import { transaction } from '../numbered.ts';

const [path = ''] = process.argv.slice(2);
const store = await sqlite.open({ path });
await store.receive([transaction(1)]);
console.log('open');
setInterval(() => store.usage(), 1_000);
