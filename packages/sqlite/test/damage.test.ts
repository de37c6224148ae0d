import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from 'mempool-conformance';
import { isMempoolError, type MempoolStore } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { expect, test } from 'vitest';
import { hashOf, numbers, payloadOf, pointOf, transaction } from './numbered.ts';
import { scratch } from './scratch.ts';

const count = 300;

/** A closed pool of 300 transactions: 100 each Pending, in flight and Dropped. */
async function makePool(path: string): Promise<void> {
  await using store = await sqlite.open({ path });
  await store.receive(numbers(count).map((n) => transaction(n)));
  await store.markInflight(numbers(100, 100).map(hashOf));
  await store.drop(numbers(100, 200).map(hashOf), 'test');
  await store.confirm({ point: pointOf(1), seen: [hashOf(100)], unseen: [] });
}

function flip(path: string, offset: number, bit = 0): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(offset) ^ (1 << bit), offset);
  writeFileSync(path, bytes);
}

/** In the payload's place and wherever SQLite left an old copy of its page. */
function flipBeside(path: string, n: number, distance: number): void {
  const bytes = readFileSync(path);
  const payload = payloadOf(n);
  for (let at = bytes.indexOf(payload); at >= 0; at = bytes.indexOf(payload, at + 1)) flip(path, at + distance);
}

const damaged = (n: number) => ({ code: 'ERR_MEMPOOL_CORRUPT', details: { hash: hashOf(n), seq: n + 1 } });

test('M2: a damaged payload ends the page before it, refuses the one that begins with it, and is stepped over', async () => {
  const path = join(scratch(), 'pool.db');
  await makePool(path);
  flipBeside(path, 10, 50);
  await using store = await sqlite.open({ path });
  expect((await store.peekPending()).map(({ seq }) => seq)).toEqual(numbers(10, 1));
  await expect(store.peekPending({ after: 10 })).rejects.toMatchObject(damaged(10));
  expect((await store.peekPending({ after: 11 })).map(({ seq }) => seq)).toEqual(numbers(89, 12));
});

test('M2: a damaged payload in flight is named, and the rest of the pool works', async () => {
  const path = join(scratch(), 'pool.db');
  await makePool(path);
  flipBeside(path, 100, 50);
  await using store = await sqlite.open({ path });
  await expect(store.findInflight([hashOf(101), hashOf(100)])).rejects.toMatchObject(damaged(100));
  expect(await store.checkStatus([hashOf(100)])).toMatchObject([{ stage: 'Confirmed', confirmedAt: pointOf(1) }]);
  expect(await store.confirm({ point: pointOf(2), seen: [hashOf(101)], unseen: [] })).toMatchObject({ confirmed: 1 });
});

test('M2: drop removes a damaged transaction; its log entry is damaged and can be stepped over', async () => {
  const path = join(scratch(), 'pool.db');
  await makePool(path);
  flipBeside(path, 10, 50);
  await using store = await sqlite.open({ path });
  expect(await store.drop([hashOf(10)], 'damaged')).toEqual([hashOf(10)]);
  const { lastLogSeq } = await store.usage();
  await expect(store.dumpFinalized({ cursor: lastLogSeq })).rejects.toMatchObject({
    code: 'ERR_MEMPOOL_CORRUPT',
    details: { hash: hashOf(10), seq: 11, logSeq: lastLogSeq },
  });
  expect(await store.dumpFinalized({ cursor: lastLogSeq + 1 })).toMatchObject({ entries: [], hasMore: false });
});

test('M2: a damaged hash is told by its payload', async () => {
  const path = join(scratch(), 'pool.db');
  await makePool(path);
  flipBeside(path, 10, -20);
  await using store = await sqlite.open({ path });
  await expect(store.peekPending({ after: 10 })).rejects.toMatchObject({
    code: 'ERR_MEMPOOL_CORRUPT',
    details: { seq: 11 },
  });
});

test('a pool cut short is an error, and reading goes as far as the file does', async () => {
  const path = join(scratch(), 'pool.db');
  await makePool(path);
  truncateSync(path, Math.floor(readFileSync(path).length / 2));
  await expect(readAll(path)).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CORRUPT' });
});

/** Reads all there is and compares it with what was written: an answer that is wrong throws no error of the library. */
async function readAll(path: string): Promise<void> {
  await using store = await sqlite.open({ path });
  const live = [...(await store.peekPending({ limit: 1000 })), ...(await store.peekInflight({ limit: 1000 }))];
  const { entries } = await store.dumpFinalized({ limit: 1000 });
  for (const { hash, payload } of [...live, ...entries]) expect(payload).toEqual(payloadOf(Number.parseInt(hash, 16)));
  await readRest(store);
}

async function readRest(store: MempoolStore): Promise<void> {
  await store.checkStatus(numbers(count).map(hashOf));
  await store.tip({ points: 10 });
  for await (const event of await store.subscribe({ after: 0, signal: AbortSignal.timeout(1) }))
    expect(event).toBeDefined();
}

test('bits flipped anywhere in the file give an error of the library or payloads as they were, never others', async () => {
  const random = new Random(Date.now());
  console.log(`bit flips: seed ${random.seed}`);
  const directory = scratch();
  const whole = join(directory, 'whole.db');
  await makePool(whole);
  const bytes = readFileSync(whole).length;
  for (let round = 0; round < 150; round++) {
    const path = join(directory, `flipped-${round}.db`);
    copyFileSync(whole, path);
    for (let flips = random.below(8); flips >= 0; flips--) flip(path, random.below(bytes), random.below(8));
    await readAll(path).catch((error) => {
      if (!isMempoolError(error) && error.name !== 'TimeoutError') throw error;
    });
  }
});
