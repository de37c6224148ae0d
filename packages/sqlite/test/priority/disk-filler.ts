// Fills what room there is with a priority pool, and prints what became of the calls after that.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isMempoolError, type MempoolStore } from 'mempool-core';
import { sqlite, sqliteExclusive } from 'mempool-sqlite';
import { hashOf, numbers, pointOf } from '../numbered.ts';
import { fillDisk } from '../pool/disk.ts';
import { priced } from './priced.ts';

const perCall = 20;
const payloadBytes = 5_000;

const [directory = '', name = '', room = ''] = process.argv.slice(2);
const backend = [sqlite, sqliteExclusive].find((each) => each.name === name) ?? sqlite;
const options = { path: join(directory, 'pool.db'), ordering: 'priority' } as const;

function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'done',
    (error) => (isMempoolError(error) ? error.code : String(error)),
  );
}

/** Each call pays more than the one before it, and some of it needs what came before. */
function receive(store: MempoolStore, n: number): Promise<unknown> {
  const mine = numbers(perCall, n * perCall);
  const requires = (each: number) => (each % 3 === 1 ? [`t${each - 1}`] : []);
  return store.receive(
    mine.map((each) =>
      priced(each, { priority: BigInt(each), provides: [`t${each}`], requires: requires(each) }, payloadBytes),
    ),
  );
}

/** All there is to know of the pool: by its file, and by what its process has in memory. */
async function stateOf(store: MempoolStore): Promise<unknown> {
  const usage = await store.usage();
  const ready = (await store.reap()).map(({ hash }) => hash);
  return [await store.dump(), usage, ready];
}

function text(state: unknown): string {
  return JSON.stringify(state, (_name, value) => (typeof value === 'bigint' ? String(value) : value));
}

async function tryOnce(store: MempoolStore, n: number) {
  const before = text(await stateOf(store));
  const code = await codeOf(receive(store, n));
  return { code, same: before === text(await stateOf(store)) };
}

async function untilRefused(store: MempoolStore) {
  for (let n = 0; ; n++) {
    const { code, same } = await tryOnce(store, n);
    if (code !== 'done') return { code, same, calls: n };
  }
}

async function freeing(store: MempoolStore): Promise<string[]> {
  const [dropped = 0, confirmed = 1] = numbers(2);
  return [
    await codeOf(store.drop([hashOf(dropped)], 'no room')),
    await codeOf(store.confirm({ point: pointOf(1), seen: [hashOf(confirmed)], unseen: [] })),
    await codeOf(store.rollback(null)),
    await codeOf(store.flush()),
  ];
}

async function untilFull(store: MempoolStore): Promise<unknown> {
  const refused = await untilRefused(store);
  return { ...refused, pending: (await store.usage()).pending, freeing: await freeing(store) };
}

/** The disk is full before the pool notices by itself; later another node writes what was refused to this one. */
async function filledByAnother(store: MempoolStore): Promise<unknown> {
  await using other = await backend.open(options).catch(() => null);
  await receive(store, 0);
  const filler = fillDisk(directory);
  // Nobody looks before the other one writes: a look would set right what is not.
  const code = await codeOf(receive(store, 1));
  rmSync(filler);
  await receive(other ?? store, 2);
  const ready = (await store.reap()).map(({ hash }) => hash);
  const { order, totals } = await store.dump();
  const agrees =
    text([...ready, totals.parked]) === text([...order.slice(0, ready.length), order.length - ready.length]);
  return { code, agrees, later: await codeOf(receive(store, 1)), pending: (await store.usage()).pending };
}

await using store = await backend.open(options);
console.log(JSON.stringify(await (room === 'another' ? filledByAnother(store) : untilFull(store))));
