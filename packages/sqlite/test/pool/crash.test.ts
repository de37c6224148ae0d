import { once } from 'node:events';
import { join } from 'node:path';
import type { Mempool, Ordering } from 'mempool-core';
import { poolState } from 'mempool-core/backend';
import { sqlite } from 'mempool-sqlite';
import { comparable, Random, seed } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { orderings } from '../kinds.ts';
import { start } from '../program.ts';
import { callOf, smallPool } from './calls.ts';

const kills = 8;
const mostCalls = 100;

/** Runs a caller until it is killed, in the middle of a call most likely. Returns how many calls were answered in all. */
async function callUntilKilled(random: Random, path: string, first: number, ordering: Ordering): Promise<number> {
  const child = start('./pool/caller.ts', [path, String(first), ordering, random.pick(['full', 'normal'])]);
  const enough = first + random.below(mostCalls);
  let answered = first;
  child.stdout?.setEncoding('utf8').on('data', (lines: string) => {
    answered = Number(lines.trimEnd().split('\n').at(-1)) + 1;
    if (answered > enough) child.kill('SIGKILL');
  });
  expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
  return answered;
}

async function stateOf(store: Mempool): Promise<unknown> {
  return comparable({
    usage: await store.usage(),
    pending: (await store.peekPending({ limit: 1_000 })).transactions,
    inflight: (await store.peekInflight({ limit: 1_000 })).transactions,
    log: await store.dumpFinalized({ limit: 1_000 }),
    tip: await store.tip({ points: 10 }),
    dump: store.ordering === 'priority' ? await poolState(store) : null,
  });
}

/** A pool that nobody kills. It makes each call once, so it must be asked for rising numbers; the last two are remembered. */
class Calm {
  readonly #store: Mempool;
  readonly #states = new Map<number, unknown>();
  #calls = 0;

  constructor(store: Mempool) {
    this.#store = store;
  }

  /** What the pool is after so many calls. */
  async after(calls: number): Promise<unknown> {
    for (; this.#calls < calls; this.#calls++) await callOf(this.#store, this.#calls);
    const state = this.#states.get(calls) ?? (await stateOf(this.#store));
    this.#states.set(calls, state);
    return state;
  }
}

test.each(orderings)(
  `D1, X1: ${kills} kills of processes that write leave whole calls only: %s (MEMPOOL_TEST_SEED=${seed})`,
  { timeout: 600_000 },
  async (ordering) => {
    const random = new Random(seed);
    const directory = scratchFolder();
    const [path, options] = [join(directory, 'pool.db'), smallPool(ordering)];
    await using quiet = await sqlite.open({ ...options, path: join(directory, 'calm.db'), synchronous: 'normal' });
    const calm = new Calm(quiet);
    let answered = 0;
    for (let kill = 0; kill < kills; kill++) {
      answered = await callUntilKilled(random, path, answered, ordering);
      await using store = await sqlite.open({ ...options, path });
      // One call may have been written and not answered: the next process repeats it under its id.
      expect([await calm.after(answered), await calm.after(answered + 1)]).toContainEqual(await stateOf(store));
    }
    expect(answered).toBeGreaterThan(kills);
  },
);
