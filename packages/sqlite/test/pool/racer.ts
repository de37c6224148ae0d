// One of several processes that write to one pool at once; prints what it received and every event it saw.
import type { StoreEvent } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { hashOf, numbers, pointOf, transaction } from '../numbered.ts';

const [path = '', racer = '', expected = ''] = process.argv.slice(2);
const perCall = 10;
const calls = 40;

const store = await sqlite.open({ path, timeoutMs: 30_000 });
const events = await store.subscribe({ after: 0 });
const received: { hash: string; seq: number }[] = [];
const marked: string[] = [];

for (const call of numbers(calls)) {
  // Every racer offers the same transactions, in an order of its own.
  const offered = numbers(perCall, ((call * (Number(racer) * 2 + 1)) % calls) * perCall);
  const outcomes = await store.receive(offered.map((n) => transaction(n)));
  for (const outcome of outcomes) if (outcome.kind === 'received') received.push(outcome);
  marked.push(...(await store.markInflight(offered.map(hashOf))));
  await store.confirm({ point: pointOf(call), seen: [], unseen: [] }, { dropThreshold: Number.POSITIVE_INFINITY });
}

const seen: StoreEvent[] = [];
for await (const event of events) {
  if (event.kind === 'lagged') throw new Error('events were lost');
  seen.push(event);
  if (seen.length === Number(expected)) break;
}
await store.close();
console.log(JSON.stringify({ received, marked, seen }));
