// One of several processes that admit into and take from one priority pool at once; prints what it received and took.
import { sqlite } from 'mempool-sqlite';
import { numbers } from '../numbered.ts';
import { priced } from './priced.ts';

const [path = '', racer = '', all = ''] = process.argv.slice(2);
const perCall = 10;
const calls = Number(all) / perCall;

const store = await sqlite.open({ path, ordering: 'priority', timeoutMs: 30_000 });
const received: string[] = [];
const taken: string[] = [];

async function take(): Promise<number> {
  const lot = await store.take({ maxTxs: 7 }, { owner: `racer-${racer}`, leaseMs: 3_600_000 });
  taken.push(...lot.transactions.map(({ hash }) => hash));
  return lot.transactions.length;
}

for (const call of numbers(calls)) {
  // Every racer offers the same transactions, in an order of its own.
  const offered = numbers(perCall, ((call * (Number(racer) * 2 + 1)) % calls) * perCall);
  for (const outcome of await store.receive(offered.map((n) => priced(n))))
    if (outcome.kind === 'received') received.push(outcome.hash);
  await take();
}
while ((await take()) > 0);
await store.close();
console.log(JSON.stringify({ received, taken }));
