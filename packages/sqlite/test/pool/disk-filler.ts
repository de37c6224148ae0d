// Fills what room there is with a pool, and prints what became of the calls after that.
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isMempoolError, type MempoolStore } from 'mempool-core';
import { sqlite, sqliteExclusive } from 'mempool-sqlite';
import { hashOf, numbers, pointOf, transaction } from '../numbered.ts';
import { fillDisk } from './disk.ts';

const perCall = 20;
const payloadBytes = 5_000;

const [directory = '', name = '', room = ''] = process.argv.slice(2);
const backend = [sqlite, sqliteExclusive].find((each) => each.name === name) ?? sqlite;
const path = join(directory, 'pool.db');

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'done',
    (error) => (isMempoolError(error) ? error.code : String(error)),
  );
}

function receive(store: MempoolStore, n: number): Promise<unknown> {
  return store.receive(numbers(perCall, n * perCall).map((each) => transaction(each, payloadBytes)));
}

async function receiveUntilRefused(store: MempoolStore): Promise<{ calls: number; code: string }> {
  for (let calls = 0; ; calls++) {
    const code = await codeOf(receive(store, calls));
    if (code !== 'done') return { calls, code };
  }
}

async function freeing(store: MempoolStore): Promise<string[]> {
  const [dropped = 0, confirmed = 1] = numbers(2);
  return [
    await codeOf(store.drop([hashOf(dropped)], 'no room')),
    await codeOf(store.confirm({ point: pointOf(1), seen: [hashOf(confirmed)], unseen: [] })),
    await codeOf(store.rollback(null)),
  ];
}

async function untilFull(): Promise<unknown> {
  await using store = await backend.open({ path });
  const { calls, code } = await receiveUntilRefused(store);
  const { pending, lastSeq, lastEventSeq } = await store.usage();
  const status = await store.checkStatus([hashOf(calls * perCall), hashOf(calls * perCall - 1)]);
  const page = await store.peekPending({ limit: 1000 });
  const result = { code, written: calls * perCall, pending, lastSeq, lastEventSeq, page: page.length };
  return { ...result, stages: status.map(({ stage }) => stage), freeing: await freeing(store) };
}

/** The disk is full before the pool notices by itself. */
async function filledByAnother(): Promise<unknown> {
  await using store = await backend.open({ path });
  await receive(store, 0);
  const filler = fillDisk(directory);
  const code = await codeOf(receive(store, 1));
  const { pending } = await store.usage();
  rmSync(filler);
  const later = await codeOf(receive(store, 1));
  return { code, pending, later, pendingLater: (await store.usage()).pending, bytes: statSync(path).size };
}

console.log(JSON.stringify(room === 'another' ? await filledByAnother() : await untilFull()));
