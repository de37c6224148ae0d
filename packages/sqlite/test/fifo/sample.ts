import type { MempoolStore } from 'mempool-core';
import { hashOf, numbers, pointOf, transaction } from '../numbered.ts';

/** What its calls under an operation id were given. */
export const received = numbers(20).map((n) => transaction(n, 40));
export const marked = numbers(14).map(hashOf);
export const first = { point: pointOf(1), seen: numbers(3).map(hashOf), unseen: [] };

/** Calls that leave something in every table of the file, in every stage, with history of lives that ended. */
export async function fillSample(store: MempoolStore): Promise<void> {
  await store.receive(received, { operationId: 'first receive' });
  await store.markInflight(marked, { operationId: 'mark' });
  await store.markAcknowledged(numbers(4, 8).map(hashOf));
  await store.drop([hashOf(18), hashOf(19)], 'of no use');
  await store.receive([transaction(18, 50)]);
  const patient = { dropThreshold: Number.POSITIVE_INFINITY };
  await store.confirm(first, patient, { operationId: 'block' });
  const second = { point: pointOf(2), parent: pointOf(1).hash, seen: [hashOf(3), hashOf(99)], unseen: [hashOf(8)] };
  await store.confirm(second, patient);
  await store.confirm({ point: pointOf(3), seen: [hashOf(19)], unseen: [] }, { ...patient, finalizeThreshold: 3 });
  await store.rollback(pointOf(2));
  await store.receive([transaction(99, 30)]);
}

/** All that can be read. */
export async function observe(store: MempoolStore): Promise<unknown> {
  const { lastEventSeq } = await store.usage();
  const events = [];
  for await (const event of await store.subscribe({ after: 0 })) {
    events.push(event);
    if (events.length === lastEventSeq) break;
  }
  return JSON.parse(
    JSON.stringify({
      pending: await store.peekPending(),
      inflight: await store.peekInflight(),
      log: await store.dumpFinalized(),
      statuses: await store.checkStatus([...numbers(21), 99].map(hashOf)),
      tip: await store.tip({ points: 10 }),
      usage: await store.usage(),
      events,
    }),
  );
}

/** Further calls, and what they answer. */
export async function goOn(store: MempoolStore): Promise<unknown> {
  const answers = [
    await store.receive([transaction(0), transaction(19), transaction(40)]),
    await store.confirm({ point: pointOf(4), parent: pointOf(2).hash, seen: [hashOf(40)], unseen: [] }),
    await store.rollback(pointOf(1)),
    await store.drop([hashOf(5)], 'at last'),
  ];
  return JSON.parse(JSON.stringify([...answers, await observe(store)]));
}
