// Receives every transaction up to a number, beginning at one of its own, and says which of them it was the one to bring in.
import { writeSync } from 'node:fs';
import { redis } from 'mempool-redis';
import { numbers, priced } from './priced.ts';

const [url = '', pool = '', first = '', count = ''] = process.argv.slice(2);
const store = await redis.open({ url, pool, ordering: 'priority', timeoutMs: 30_000 });
const received: string[] = [];
for (const n of numbers(Number(count))) {
  const [outcome] = await store.receive([priced(1 + ((n + Number(first)) % Number(count)))]);
  if (outcome?.kind === 'received') received.push(outcome.hash);
}
writeSync(1, JSON.stringify(received));
await store.close();
