import { type Chain, emptySibling, readChain, syntheticChain } from 'cardano-chains';
import type { Mempool } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { describe, expect, onTestFinished, test } from 'vitest';
import { blocksIn, replay } from '../src/replay.ts';
import { ReplayError } from '../src/replay-error.ts';
import { report } from '../src/report.ts';
import { StageWatch } from '../src/stage-watch.ts';
import { totalsOf } from './synthetic-file.ts';

const options = { seed: 3, blocks: 9, maxTransactions: 3 };
const chain = await readChain('test chain', () => syntheticChain(options));
const neverStopped = new AbortController().signal;

class Killed extends Error {}

async function openPool(): Promise<Mempool> {
  const store = await ephemeral.open();
  onTestFinished(() => store.close());
  return store;
}

function playOn(store: Mempool, forkEvery: number, { blocks = chain.blocks }: Partial<Chain> = {}): Promise<void> {
  return store.tip().then(({ point }) => {
    const done = blocksIn(chain, point, forkEvery);
    return replay(store, { ...chain, blocks }, done, { forkEvery, signal: neverStopped, onBlock: () => {} });
  });
}

/** The pool, telling of each call before it is made. */
function watched(store: Mempool, onCall: () => void): Mempool {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        if (name !== 'tip') onCall();
        return member.apply(target, args);
      };
    },
  });
}

/** The pool as a process sees it that is killed after so many calls. */
function killedAfter(store: Mempool, calls: number): Mempool {
  let left = calls;
  return watched(store, () => {
    if (left === 0) throw new Killed();
    left -= 1;
  });
}

async function endOf(store: Mempool): Promise<unknown> {
  const watch = await StageWatch.open(store, () => {});
  await watch.caughtUp();
  const { backend, applied, ...totals } = await report(store, chain, { rolledBack: watch.rolledBack.size, applied: 0 });
  return totals;
}

async function callsOf(forkEvery: number): Promise<number> {
  let calls = 0;
  const count = () => {
    calls += 1;
  };
  await playOn(watched(await openPool(), count), forkEvery);
  return calls;
}

describe.each([0, 1, 2, 3, 9])('a replay with a fork every %i blocks', (forkEvery) => {
  test('ends the same when it is killed between any two of its calls and run again', async () => {
    const calls = await callsOf(forkEvery);
    expect(calls).toBeGreaterThan(chain.points.length);
    for (let killed = 0; killed < calls; killed += 1) {
      const store = await openPool();
      await expect(playOn(killedAfter(store, killed), forkEvery)).rejects.toThrow(Killed);
      await playOn(store, forkEvery);
      expect(await endOf(store), `killed after ${killed} calls`).toEqual(totalsOf(options, forkEvery));
    }
  });

  test('ends the same when every run is killed after two blocks of calls', async () => {
    const store = await openPool();
    let runs = 0;
    for (let complete = false; !complete; runs += 1) {
      complete = await playOn(killedAfter(store, 16), forkEvery).then(
        () => true,
        (error) => {
          if (!(error instanceof Killed)) throw error;
          return false;
        },
      );
      expect(runs).toBeLessThan(100);
    }
    expect(await endOf(store)).toEqual(totalsOf(options, forkEvery));
  });

  test('writes nothing when it is complete', async () => {
    const store = await openPool();
    await playOn(store, forkEvery);
    const before = await store.usage();
    await playOn(store, forkEvery);
    expect(await store.usage()).toEqual(before);
  });
});

test('two replays into one pool at the same time do every block once', async () => {
  const store = await openPool();
  await Promise.all([playOn(store, 2), playOn(store, 2)]);
  expect(await endOf(store)).toEqual(totalsOf(options, 2));
});

test('the stages told by the events are those of the pool', async () => {
  const store = await openPool();
  const watch = await StageWatch.open(store, () => {});
  await playOn(store, 4);
  await watch.caughtUp();
  const { finalized, confirmed } = totalsOf(options, 4);
  const none = { Pending: 0, Propagated: 0, Acknowledged: 0, Dropped: 0 };
  expect(watch.stages).toEqual({ ...none, Confirmed: confirmed, Finalized: finalized });
});

describe('a pool of another chain', () => {
  test('is not touched', async () => {
    const store = await openPool();
    await store.confirm({ point: { slot: 1, hash: 'ab'.repeat(32) }, seen: [], unseen: [] });
    const before = await store.usage();
    await expect(playOn(store, 2)).rejects.toThrow(ReplayError);
    expect(await store.usage()).toEqual(before);
  });

  test("is not one whose tip is a fork's empty block, unless no fork stands there", () => {
    const [first, second] = chain.points;
    if (first === undefined || second === undefined) throw new Error('too short a chain');
    expect(blocksIn(chain, emptySibling(second), 2)).toBe(1);
    expect(() => blocksIn(chain, emptySibling(first), 2)).toThrow(ReplayError);
  });
});

test('a pool whose tip another program moves is an error, not a chain with a hole', async () => {
  const store = await openPool();
  async function* interrupted() {
    for (const block of syntheticChain(options)) {
      if (block.number === 5) await store.rollback(chain.points[0] ?? 'origin');
      yield block;
    }
  }
  await expect(playOn(store, 0, { blocks: interrupted })).rejects.toThrow(ReplayError);
});
