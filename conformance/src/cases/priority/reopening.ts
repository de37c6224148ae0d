import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { isMempoolError, type OpenOptions, type Usage } from 'mempool-core';
import { type Call, perform } from '../../case/call.ts';
import type { CaseContext, ConformanceCase, Need } from '../../case/case.ts';
import { eachRanked, mustRank, needing } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { assertSame } from '../../histories/difference.ts';
import type { Limits, PoolDump } from '../../model/priority/entry.ts';
import { PoolModel } from '../../model/priority/model.ts';
import { playAndKill } from '../../scenario/kill.ts';
import { placeOf } from '../../scenario/pool.ts';
import { account, indexesOf, openScene, type Scene } from '../../scenario/priority.ts';
import { assertConsistent } from '../../scenario/priority-consistency.ts';
import { makeCalls } from '../../scenario/priority-traffic.ts';
import { rejection } from '../../scenario/verb-call.ts';

const durable: readonly Need[] = ['durable'];
const killable: readonly Need[] = ['durable', 'child-process'];
/** So low that every one of them is reached. */
const killLimits: Limits = {
  maxTxs: 60,
  maxBytes: 1_500,
  maxTxGas: Number.POSITIVE_INFINITY,
  maxPerSender: 12,
  maxParked: 10,
  maxProtected: 9,
  maxAncestors: 25,
  maxDescendants: 25,
  maxEvictions: 8,
  replacementBump: 10,
  ttlMs: Number.POSITIVE_INFINITY,
  ttlBlocks: Number.POSITIVE_INFINITY,
  parkedTtlMs: Number.POSITIVE_INFINITY,
  minPriority: -(2n ** 63n),
  eviction: 'lowest',
};
const retention = { finalizeThreshold: 3, dropThreshold: 2, maxFinalized: 1_000, maxRollback: 100 } as const;
const lot = { owner: 'o', claimMs: 1_000, operationId: 'lot' };

/** A pool with some of every kind of record. */
async function varied(context: CaseContext): Promise<Scene> {
  const scene = await openScene(context, {
    maxTxs: 40,
    ttlMs: 50_000,
    replacementBump: 25,
    maxRollback: 7,
  });
  for (let nonce = 0; nonce < 5; nonce++)
    await scene.add(`s${nonce}`, {
      ...account('s', nonce),
      priority: BigInt(9 - nonce),
      gas: nonce,
      from: `peer${nonce % 2}`,
    });
  await scene.fill({
    parked: { requires: ['missing'], expiresAtHeight: 90, protected: true },
    satisfied: { requires: ['chain'], senderLimit: 3 },
  });
  await scene.fill({ lost: { provides: ['l'] }, left: { requires: ['l'] } });
  await scene.drop('lost');
  await scene.fill({
    tipped: { maxPriority: 2n ** 53n + 1n, tip: 7n },
    quiet: { priority: -(2n ** 62n) - 1n, propagate: false, bytes: 700 },
  });
  await scene.block(1, { seen: ['s0'], provides: ['chain'] });
  await scene.store.take({ maxTxs: 2 }, lot);
  await scene.acknowledge('s1');
  await scene.store.revise([{ hash: scene.hash('s3'), version: 1, answer: { ...account('s', 3), priority: 4n } }]);
  await scene.drop('s4');
  return scene;
}

async function reopened(scene: Scene, options: OpenOptions = {}): Promise<Scene> {
  await scene.store.close();
  return scene.another(options);
}

/** The state that a pool and a model share if they got the same calls at different times. */
function timeless({ entries, ...dump }: PoolDump, { epoch: _, oldestInflight: __, cursors, ...usage }: Usage): unknown {
  const places = Object.values(cursors).map(placeOf);
  return {
    ...dump,
    entries: entries.map((entry) => ({ ...entry, admittedAt: 0, parkedAt: entry.parkedAt === null ? null : 0 })),
    usage,
    places,
  };
}

function dueOf(model: PoolModel): unknown {
  return timeless(model.reader().dump(), model.reader().usage());
}

function newModel(): PoolModel {
  return new PoolModel({ ...retention, limits: killLimits, now: () => 0 });
}

/** Lets a child make the calls on a priority pool, kills it, and opens the pool again. */
async function killed(
  context: CaseContext,
  calls: readonly Call[],
): Promise<{ store: TestedPool; answers: unknown[] }> {
  const options: OpenOptions = { ordering: 'priority', ...killLimits, ...retention };
  const answers = await playAndKill(context, { calls, options, answered: 5 + context.random.below(40) });
  return { answers, store: await context.open(options) };
}

function forGood(made: 'fifo' | 'priority', other: 'fifo' | 'priority'): ConformanceCase {
  return mustRank(
    `P15/for-good-${made}`,
    `a pool made as ${made} is not opened as ${other}, and stays as it is`,
    async ({ open }) => {
      const first = await open({ ordering: made });
      await first.receive([{ hash: 'ab', payload: new Uint8Array(1), payloadType: 0 }]);
      await first.close();
      assert.ok(isMempoolError(await rejection(open({ ordering: other })), 'ERR_MEMPOOL_INCOMPATIBLE'));
      assert.equal((await (await open({ ordering: made })).usage()).pending, 1);
    },
    durable,
  );
}

const ownPoolsDurable = eachRanked({
  'P15/limits: limits stay, and the latest open that has one sets it': async (context) => {
    const scene = await openScene(context, { maxTxs: 40, ttlMs: 50 });
    await scene.store.setLimits({ maxTxs: 30, eviction: 'none' });
    const { maxTxs, ttlMs, eviction, maxParked } = (await (await reopened(scene, { maxParked: 5 })).dump()).limits;
    assert.deepEqual([maxTxs, ttlMs, eviction, maxParked], [30, 50, 'none', 5]);
  },
}).map(needing(...durable));

const ownPoolsVolatile = eachRanked({
  'P15/volatile: a priority pool that is not durable is empty when it is opened again': async (context) => {
    const scene = await reopened(await varied(context));
    const { entries, order, satisfied, lastGossipSeq } = await scene.dump();
    assert.deepEqual([entries, order, satisfied, lastGossipSeq], [[], [], [], 0]);
  },
}).map(needing('volatile'));

const ownPoolsKillable = eachRanked({
  'P15/killed: killed while it admits, the pool is whole and its indexes agree': async (context) => {
    const calls = makeCalls(context.random, 400);
    const { store, answers } = await killed(context, calls);
    const model = newModel();
    for (const [i, answer] of answers.entries())
      assertSame(answer, await perform(model, calls[i] as Call), 'the outcome is not the one due');
    const dump = await indexesOf(store);
    assertConsistent(dump);
    const found = timeless(dump, await store.usage());
    const due = dueOf(model);
    for (let done = answers.length; !isDeepStrictEqual(found, dueOf(model)); done++) {
      const next = calls[done];
      if (next === undefined) return assertSame(found, due, 'the state after the kill is none that whole calls give');
      await perform(model, next);
    }
  },
  'P15/repeated-after-a-kill: calls repeated by operation id after a kill are carried out once': async (context) => {
    const calls = makeCalls(context.random, 120).map((call, i): Call => {
      const args = [...call.args, { operationId: `call ${i}` }];
      return { verb: call.verb, args } as Call;
    });
    const { store } = await killed(context, calls);
    const model = newModel();
    for (const call of calls)
      assertSame(await perform(store, call), await perform(model, call), 'the outcome is not the one due');
    assertSame(timeless(await indexesOf(store), await store.usage()), dueOf(model), 'the repeated calls left a trace');
  },
}).map(needing(...killable));

export const poolReopeningCases: readonly ConformanceCase[] = [
  ...ownPoolsDurable,
  forGood('priority', 'fifo'),
  forGood('fifo', 'priority'),
  ...ownPoolsVolatile,
  ...ownPoolsKillable,
];
