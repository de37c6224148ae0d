// One of several processes that write to one pool at once; prints what it received and took, and every event it saw.
import type { Ordering, StoreEvent } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { hashOf, numbers, pointOf, submission } from '../numbered.ts';

const [path = '', ordering = '', racer = '', expected = ''] = process.argv.slice(2);
const perCall = 10;
const calls = 40;

const store = await sqlite.open({ path, ordering: ordering as Ordering, timeoutMs: 30_000 });
const events = await store.subscribe({ after: 'origin' });
const received: string[] = [];
const taken: string[] = [];

async function take(): Promise<number> {
  const { transactions } = await store.take({ maxTxs: 3 }, { owner: `racer-${racer}`, claimMs: 3_600_000 });
  taken.push(...transactions.map(({ hash }) => hash));
  return transactions.length;
}

for (const call of numbers(calls)) {
  // Every racer offers the same transactions, in an order of its own.
  const offered = numbers(perCall, ((call * (Number(racer) * 2 + 1)) % calls) * perCall);
  for (const outcome of await store.receive(offered.map((n) => submission(store.ordering, n))))
    if (outcome.kind === 'received') received.push(outcome.hash);
  await take();
  taken.push(...(await store.markInflight(offered.slice(0, 5).map(hashOf))));
  await store.confirm({ point: pointOf(call), seen: [], unseen: [] }, { dropThreshold: Number.POSITIVE_INFINITY });
}
while ((await take()) > 0);

const seen: StoreEvent[] = [];
for await (const event of events) {
  if (event.kind === 'lagged') throw new Error('events were lost');
  seen.push(event);
  if (seen.length === Number(expected)) break;
}
await store.close();
console.log(JSON.stringify({ received, taken, seen }));
