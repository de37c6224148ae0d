import assert from 'node:assert/strict';
import { isMempoolError } from 'mempool-core';
import { poolState } from 'mempool-core/backend';
import { type Call, perform } from '../../case/call.ts';
import type { CaseContext, ConformanceCase, Need } from '../../case/case.ts';
import { eachRanked, needing } from '../../case/must.ts';
import { openPool } from '../../scenario/on-pool.ts';
import { kindsOf } from '../../scenario/pool.ts';
import { account, type Draft, eachOnPriorityPool, ladder, openScene, type Scene } from '../../scenario/priority.ts';
import { assertConsistent } from '../../scenario/priority-consistency.ts';
import { makeCalls } from '../../scenario/priority-traffic.ts';
import { rejection } from '../../scenario/verb-call.ts';

const shared: readonly Need[] = ['shared'];
const processes: readonly Need[] = ['shared', 'child-process'];

type Scenes = readonly [Scene, Scene, Scene];

async function openScenes(context: CaseContext, limits: Parameters<typeof openScene>[1] = {}): Promise<Scenes> {
  const first = await openScene(context, limits);
  return [first, await first.another(), await first.another()];
}

/** Every node reads the same state, and its indexes agree. */
async function agree([first, ...others]: Scenes): Promise<void> {
  const due = [await first.whole(), await first.store.reap(), await first.store.since()];
  for (const other of others)
    assert.deepEqual([await other.whole(), await other.store.reap(), await other.store.since()], due);
  assertConsistent(await first.dump());
}

/** One draft for each node; all nodes submit theirs at once. */
function race(scenes: Scenes, drafts: readonly (readonly [string, Draft])[]): Promise<unknown> {
  return Promise.all(drafts.map(([name, draft], i) => (scenes[i % 3] ?? scenes[0]).add(name, draft)));
}

const ownPoolsShared = eachRanked({
  'P16/same-order: random calls on several nodes leave every node with the same order': async (context) => {
    const scenes = await openScenes(context, { maxTxs: 40, maxParked: 8 });
    for (const [i, call] of makeCalls(context.random, 120).entries()) {
      await perform(context.random.pick(scenes).store, call);
      if (i % 10 === 9) await agree(scenes);
    }
    await agree(scenes);
  },
  'P16/taken-once: several nodes that take at once take each transaction once': async (context) => {
    const scenes = await openScenes(context);
    await scenes[0].addAll(ladder(Array.from({ length: 90 }, () => context.random.below(9))));
    const taken = await Promise.all(
      scenes.map(async ({ store }, i) => {
        const lots: string[] = [];
        for (let lot = 1; lot > 0; ) {
          const { transactions } = await store.take({ maxTxs: 4 }, { owner: `node${i}`, claimMs: 1_000 });
          lot = transactions.length;
          lots.push(...transactions.map(({ hash }) => hash));
        }
        return lots;
      }),
    );
    assert.deepEqual([taken.flat().length, new Set(taken.flat()).size], [90, 90]);
    assert.deepEqual(await scenes[0].ready(), []);
    await agree(scenes);
  },
  'P16/racing-for-room: nodes that fill a small pool at once leave the best in it': async (context) => {
    const scenes = await openScenes(context, { maxTxs: 10 });
    const priorities = Array.from({ length: 60 }, (_, i) => i * 3 + context.random.below(3));
    await race(scenes, Object.entries(ladder(context.random.shuffled(priorities))));
    const best = priorities.slice(-10).reverse();
    assert.deepEqual(
      (await scenes[1].store.reap()).map(({ priority }) => Number(priority)),
      best,
    );
    await agree(scenes);
  },
  'P16/racing-replacements: of racing replacements the dearest remains, alone': async (context) => {
    const scenes = await openScenes(context, { replacementBump: 0 });
    const drafts = Array.from({ length: 30 }, (_, i): [string, Draft] => [
      `r${i}`,
      { provides: ['x'], priority: BigInt(i + 1) },
    ]);
    await race(scenes, drafts);
    assert.deepEqual(await scenes[2].ready(), ['r29']);
    await agree(scenes);
  },
  'P16/racing-sender: with a sender limit of one, one of its racing transactions is received': async (context) => {
    const scenes = await openScenes(context);
    const draft = { sender: 's', senderLimit: 1 };
    const outcomes = await Promise.all(scenes.map((scene, i) => scene.add(`n${i}`, draft)));
    assert.deepEqual(kindsOf(outcomes).sort(), ['received', 'sender-limit', 'sender-limit']);
  },
  'P16/racing-chain: a chain whose links several nodes receive at once is whole and in order': async (context) => {
    const scenes = await openScenes(context);
    const links = Array.from({ length: 24 }, (_, i): [string, Draft] => [`n${i}`, account('s', i)]);
    await race(scenes, context.random.shuffled(links));
    const due = links.map(([name]) => name);
    assert.deepEqual([await scenes[0].ready(), await scenes[1].parked()], [due, []]);
    await agree(scenes);
  },
}).map(needing(...shared));

const onePoolShared = eachOnPriorityPool({
  'P16/one-ordering: a node that asks for the other order is refused, and the pool goes on': async (scene, context) => {
    await scene.fill({ a: {} });
    assert.ok(isMempoolError(await rejection(context.open()), 'ERR_MEMPOOL_INCOMPATIBLE'));
    assert.equal((await scene.add('b')).kind, 'received');
  },
}).map(needing(...shared));

const ownPoolsProcesses = eachRanked({
  'P16/another-process: two processes write to one order, and every event is delivered once': async (context) => {
    const options = { ordering: 'priority', maxTxs: 50 } as const;
    const pool = await openPool(context, options);
    const theirs = makeCalls(context.random, 60);
    const child = await context.fork('play', { calls: theirs, options: { ordering: 'priority' } });
    const ours: readonly Call[] = makeCalls(context.random, 60).filter(({ verb }) => verb !== 'rollback');
    for (const call of ours) await perform(pool.store, call);
    for (const _ of theirs) await child.message();
    assertConsistent(await poolState(pool.store));
    const late = await openPool(context, options);
    assert.deepEqual(await poolState(late.store), await poolState(pool.store));
    const seqs = (await pool.events()).map(({ eventSeq }) => eventSeq);
    assert.deepEqual(
      seqs,
      Array.from(seqs, (_, i) => i + 1),
    );
  },
  'P16/killed-node: a node killed while it admits leaves indexes that agree': async (context) => {
    const options = { ordering: 'priority', maxTxs: 50 } as const;
    const pool = await openPool(context, options);
    for (let kill = 0; kill < 3; kill++) {
      const child = await context.fork('play', { calls: makeCalls(context.random, 200), options });
      for (let n = 0; n < 10 + context.random.below(20); n++) {
        await child.message();
        if (n % 4 === 0) await pool.store.take({ maxTxs: 1 }, { owner: 'o', claimMs: 60_000 });
      }
      await child.kill();
      const [outcome] = await pool.store.receive([
        { hash: context.random.hex(8), payload: new Uint8Array(1), payloadType: 0 },
      ]);
      assert.ok(outcome);
      assertConsistent(await poolState(pool.store));
    }
  },
}).map(needing(...processes));

export const poolNodeCases: readonly ConformanceCase[] = [...ownPoolsShared, ...onePoolShared, ...ownPoolsProcesses];
