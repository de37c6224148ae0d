import { once } from 'node:events';
import { join } from 'node:path';
import { Random } from 'mempool-conformance';
import type { MempoolStore, PoolDump, Usage } from 'mempool-core';
import { sqlite, sqliteExclusive } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { start } from '../program.ts';
import { callOf, smallPool } from './admitter-calls.ts';
import { openNode } from './storage.ts';

const kills = 8;
const mostCalls = 100;

/** Runs an admitter until it is killed, in the middle of whatever it does then; how many calls were answered in all. */
async function admitUntilKilled(random: Random, path: string, name: string, first: number): Promise<number> {
  const child = start('./priority/admitter.ts', [path, String(first), name]);
  const enough = first + random.below(mostCalls);
  let answered = first;
  child.stdout?.setEncoding('utf8').on('data', (lines: string) => {
    answered = Number(lines.trimEnd().split('\n').at(-1)) + 1;
    if (answered > enough) child.kill('SIGKILL');
  });
  expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
  return answered;
}

interface State {
  readonly dump: PoolDump;
  readonly usage: Usage;
}

async function stateOf(store: MempoolStore): Promise<State> {
  return { dump: await store.dump(), usage: await store.usage() };
}

/** A pool that nobody kills, and what it is after so many calls: asked for by numbers that seldom fall, and by no more than one. */
class Calm {
  readonly #store: MempoolStore;
  readonly #states = new Map<number, State>();
  #calls = 0;

  constructor(store: MempoolStore) {
    this.#store = store;
  }

  async after(calls: number): Promise<State> {
    for (; this.#calls < calls; this.#calls++) await callOf(this.#store, this.#calls);
    const state = this.#states.get(calls) ?? (await stateOf(this.#store));
    this.#states.set(calls, state);
    return state;
  }
}

for (const backend of [sqlite, sqliteExclusive]) {
  test(`D1, X1: ${kills} kills of processes that work on a priority pool of ${backend.name} leave whole calls only`, async () => {
    const random = new Random(Date.now());
    console.log(`priority crash test: seed ${random.seed}`);
    const directory = scratchFolder();
    const path = join(directory, 'pool.db');
    await using quiet = await sqlite.open({ ...smallPool, path: join(directory, 'calm.db'), synchronous: 'normal' });
    const calm = new Calm(quiet);
    let answered = 0;
    for (let kill = 0; kill < kills; kill++) {
      answered = await admitUntilKilled(random, path, backend.name, answered);
      await using store = await backend.open({ ...smallPool, path });
      // One call may have been written and not answered: the next process repeats it under its id.
      expect([await calm.after(answered), await calm.after(answered + 1)]).toContainEqual(await stateOf(store));
    }
    expect(answered).toBeGreaterThan(kills);
  }, 600_000);
}

test('what a process knows of a priority pool in memory is what the file says, whoever was killed while it wrote', async () => {
  const random = new Random(Date.now());
  console.log(`priority crash test: seed ${random.seed}`);
  const path = join(scratchFolder(), 'pool.db');
  const node = await openNode(path);
  let answered = 0;
  for (let kill = 0; kill < kills; kill++) {
    answered = await admitUntilKilled(random, path, sqlite.name, answered);
    expect(await node.remembered()).toEqual(await node.stored());
  }
}, 600_000);
