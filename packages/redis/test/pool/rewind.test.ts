import { randomUUID } from 'node:crypto';
import type { MempoolEvent, MempoolStore } from 'mempool-core';
import { expect, test } from 'vitest';
import { point, transactions } from '../chain.ts';
import { openPool, operator, ownServer } from '../own-server.ts';

/** A server that can be put back to its last SAVE, on one port. */
async function server() {
  const own = await ownServer();
  return {
    url: own.url,
    save: async () => void (await operator(own.url).save()),
    kill: () => own.kill(),
    start: () => own.restart(),
  };
}

async function stream(store: MempoolStore, after?: number) {
  const events = (await store.subscribe(after === undefined ? {} : { after }))[Symbol.asyncIterator]();
  return async (count: number) => {
    const taken: MempoolEvent[] = [];
    while (taken.length < count) taken.push((await events.next()).value as MempoolEvent);
    return taken.map((event) => {
      if (event.kind === 'lagged') return 'lagged';
      return `${event.eventSeq} ${event.kind === 'transaction' ? Number.parseInt(event.hash, 16) : event.kind}`;
    });
  };
}

async function all(store: MempoolStore): Promise<string[]> {
  const { lastEventSeq } = await store.usage();
  return (await stream(store, 0))(lastEventSeq);
}

const each = async (store: MempoolStore, ...numbers: readonly number[]) => {
  for (const n of numbers) await store.receive(transactions(n));
};

test('E3: a server back from an older state and overtaken by another node is one lag, then the true events', async () => {
  const { url, save, kill, start } = await server();
  const { store: reader } = await openPool({ url, timeoutMs: 30_000 });
  const take = await stream(reader);
  await each(reader, 1, 2, 3, 4, 5);
  await save();
  await each(reader, 6, 7, 8);
  expect(await take(8)).toEqual(['1 1', '2 2', '3 3', '4 4', '5 5', '6 6', '7 7', '8 8']);
  await kill();
  await start();
  const { store: writer } = await openPool({ url });
  await each(writer, 101, 102, 103, 104, 105);
  expect(await take(11)).toEqual(['lagged', ...(await all(writer))]);
  await each(writer, 106);
  expect(await take(1)).toEqual(['11 106']);
});

test('E3: the way back is noticed where the event that was read last is the same on both ways', async () => {
  const { url, save, kill, start } = await server();
  const { store: reader } = await openPool({ url, timeoutMs: 30_000 });
  const block = { point: point(1), seen: [], unseen: [] };
  const takes = [await stream(reader), await stream(reader)] as const;
  await save();
  await reader.receive(transactions(1));
  await reader.confirm(block, {}, { operationId: 'block' });
  for (const take of takes) expect(await take(2)).toEqual(['1 1', '2 block']);
  await kill();
  await start();
  const { store: writer } = await openPool({ url });
  await writer.receive(transactions(2));
  await writer.confirm(block, {}, { operationId: 'block' });
  for (const take of takes) expect(await take(3)).toEqual(['lagged', '1 2', '2 block']);
});

test('E3: what was read in part, or not at all, before the server went back is noticed too', async () => {
  const { url, save, kill, start } = await server();
  const { store: reader } = await openPool({ url, timeoutMs: 30_000 });
  await reader.receive(transactions(1, 2, 3));
  const takes = [await stream(reader), await stream(reader, 2)] as const;
  await save();
  await reader.receive(transactions(4, 5));
  await takes[0](1);
  await kill();
  await start();
  const { store: writer } = await openPool({ url });
  await writer.receive(transactions(6, 7, 8, 9));
  expect(await takes[0](9)).toEqual(['5 5', 'lagged', '1 1', '2 2', '3 3', '4 6', '5 7', '6 8', '7 9']);
  expect(await takes[1](8)).toEqual(['lagged', '1 1', '2 2', '3 3', '4 6', '5 7', '6 8', '7 9']);
});

test('E3: a server that came back with all it had is no lag', async () => {
  const { url, save, kill, start } = await server();
  const { store: reader } = await openPool({ url, timeoutMs: 30_000 });
  const take = await stream(reader);
  const { store: idle } = await openPool({ url, pool: randomUUID() });
  const nothingYet = await stream(idle);
  await each(reader, 1, 2, 3);
  await save();
  expect(await take(3)).toEqual(['1 1', '2 2', '3 3']);
  await kill();
  await start();
  const { store: writer } = await openPool({ url });
  await each(writer, 4);
  expect(await take(1)).toEqual(['4 4']);
  await each(idle, 1);
  expect(await nothingYet(1)).toEqual(['1 1']);
});
