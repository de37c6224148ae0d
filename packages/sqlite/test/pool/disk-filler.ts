// Fills the room there is with a pool, and prints the answers of the calls after that.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { isMempoolError, type Ordering } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { hashOf, numbers, pointOf, priced } from '../numbered.ts';
import { perCall, poolOptions, receive, stateOf } from './filling.ts';

const [directory = '', ordering = '', room = ''] = process.argv.slice(2);
const path = join(directory, 'pool.db');
const options = { ...poolOptions(ordering as Ordering), path };

function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'done',
    (error) => (isMempoolError(error) ? error.code : String(error)),
  );
}

await using store = await sqlite.open(options);

async function untilFull(): Promise<unknown> {
  let [calls, code] = [0, await codeOf(receive(store, 0))];
  while (code === 'done') code = await codeOf(receive(store, ++calls));
  const state = await stateOf(store);
  const freeing = [
    await codeOf(store.drop([hashOf(0)], 'failed')),
    await codeOf(store.confirm({ point: pointOf(1), seen: [hashOf(1)], unseen: [] })),
    await codeOf(store.rollback('origin')),
    await codeOf(store.flush()),
  ];
  return { code, calls, state, freeing };
}

/** The disk is full before the pool notices by itself. Then another node writes. */
async function filledByAnother(): Promise<unknown> {
  await using other = await sqlite.open(options);
  await receive(store, 0);
  const filler = fillDisk();
  // Nobody reads before the other one writes: a read would set right what is wrong.
  const code = await codeOf(receive(store, 1));
  rmSync(filler);
  await receive(other, 2);
  const state = await stateOf(store);
  const later = await codeOf(receive(store, 1));
  return { code, state, later, laterState: await stateOf(store) };
}

/** The disk is full while several stores write. */
async function filledInTurn(): Promise<unknown> {
  const stores = await Promise.all(
    numbers(4).map(() => sqlite.open({ path, ordering: 'priority', synchronous: 'normal' })),
  );
  const all = (first: number) =>
    Promise.all(stores.map((each, i) => codeOf(each.receive([priced(first + i, {}, 5_000)]))));
  for (let n = 0; n < 40; n++) await all(10 * n);
  const before = await stores[0]?.usage();
  const filler = fillDisk();
  const codes = await all(1_000);
  rmSync(filler);
  const after = await stores[0]?.usage();
  const later = await all(1_000);
  for (const each of stores) await each.close();
  return { codes, received: Number(after?.lastSeq) - Number(before?.lastSeq), later };
}

/** A reader keeps an old state, so the log takes all the room, although the pool stays small. Then the reader leaves. */
async function filledBesideReader(): Promise<unknown> {
  await receive(store, 0);
  const reader = new SqliteDatabase(path);
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM tx').get();
  let [calls, code] = [0, 'done'];
  while (code === 'done') {
    code = await codeOf(receive(store, ++calls));
    await codeOf(store.drop(numbers(perCall, calls * perCall).map(hashOf), 'failed'));
    await codeOf(store.flush());
  }
  reader.exec('COMMIT');
  reader.close();
  return { code, later: await codeOf(receive(store, calls)) };
}

/** Another program's file takes what is left. */
function fillDisk(): string {
  const filler = join(directory, 'filler');
  const descriptor = openSync(filler, 'w');
  for (let block = 65_536; block >= 1; block /= 2) writeWhilePossible(descriptor, Buffer.alloc(block));
  closeSync(descriptor);
  return filler;
}

function writeWhilePossible(descriptor: number, block: Buffer): void {
  try {
    while (writeSync(descriptor, block) > 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

const fillings: Readonly<Record<string, () => Promise<unknown>>> = {
  another: filledByAnother,
  reader: filledBesideReader,
  turn: filledInTurn,
};
console.log(JSON.stringify(await (fillings[room] ?? untilFull)()));
