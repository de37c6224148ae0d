import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { type Call, perform } from '../../case/call.ts';
import type { CaseContext, ConformanceCase, Need } from '../../case/case.ts';
import { mustEach, needing } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { assertSame } from '../../histories/difference.ts';
import { expectWhole, observeWhole } from '../../histories/observation.ts';
import { historyOptions, makeHistory, type Universe } from '../../histories/pool-calls.ts';
import { Model } from '../../model/model.ts';
import { playAndKill } from '../../scenario/kill.ts';
import { openPool } from '../../scenario/on-pool.ts';
import { hashesOf, never, point, transactions } from '../../scenario/pool.ts';

const killable: readonly Need[] = ['durable', 'child-process'];

/** Brings the model to the store's state: after all answered calls and perhaps further ones, each of them whole. */
async function follow(
  store: TestedPool,
  model: Model,
  { hashes, calls }: Universe,
  answers: readonly unknown[],
): Promise<number> {
  for (const [i, answer] of answers.entries())
    assertSame(answer, await perform(model, calls[i] as Call), 'the outcome is not the one due');
  const found = await observeWhole(store, hashes);
  const due = await expectWhole(model, hashes);
  const { lastEventSeq } = await store.usage();
  // A model with more events than the store is past it.
  for (let done = answers.length; model.usage().lastEventSeq <= lastEventSeq; done++) {
    if (isDeepStrictEqual(found, await expectWhole(model, hashes))) return done;
    const next = calls[done];
    if (next === undefined) break;
    await perform(model, next);
  }
  assertSame(found, due, 'the state after the kill is none that whole calls give');
  return answers.length;
}

/** Kills at least four times, each after at most that many answers, and checks each time that the state is one of whole calls. */
async function killAgain(context: CaseContext, { hashes, calls }: Universe, maxAnswers: number): Promise<void> {
  const model = new Model(historyOptions);
  let rest = calls;
  for (let kill = 0; kill < 4 * context.effort && rest.length > 0; kill++) {
    const answers = await playAndKill(context, {
      calls: rest,
      options: historyOptions,
      answered: 1 + context.random.below(maxAnswers),
    });
    const pool = await openPool(context, historyOptions);
    const done = await follow(pool.store, model, { hashes, calls: rest }, answers);
    await pool.store.close();
    rest = rest.slice(done);
  }
}

/** A thousand transactions, and blocks that move most of them back and forth, so that a kill hits the middle of a call. */
function largeBlocks({ random }: CaseContext): Universe {
  const batch = transactions(random, 1_000);
  const hashes = hashesOf(batch);
  const calls: Call[] = [
    { verb: 'receive', args: [batch] },
    { verb: 'markInflight', args: [hashes] },
  ];
  for (let n = 1; n <= 60; n++) {
    const turned = [...hashes.slice((n * 370) % 1_000), ...hashes.slice(0, (n * 370) % 1_000)];
    const lists = { seen: turned.slice(0, 400), unseen: turned.slice(400, 900) };
    calls.push(
      { verb: 'confirm', args: [{ point: point(n), ...lists }, never] },
      { verb: 'markInflight', args: [hashes] },
    );
  }
  return { hashes, calls };
}

function chain(length: number): Call[] {
  return Array.from({ length }, (_, i): Call => {
    const block = { point: point(i + 1), seen: [], unseen: [] };
    return { verb: 'confirm', args: [i === 0 ? block : { ...block, parent: point(i).hash }] };
  });
}

export const crashCases: readonly ConformanceCase[] = mustEach({
  'D1/killed-receiving: after a SIGKILL every answered call is stored, any other call whole or not at all': async (
    context,
  ) => {
    const batches = Array.from({ length: 300 }, () => transactions(context.random, 7));
    const calls = batches.map((batch): Call => ({ verb: 'receive', args: [batch] }));
    const answers = await playAndKill(context, {
      calls,
      options: historyOptions,
      answered: 1 + context.random.below(40),
    });
    const pool = await openPool(context);
    const waiting: string[] = [];
    for (let page = await pool.store.peekPending({ limit: 1_000 }); page.transactions.length > 0; ) {
      waiting.push(...hashesOf(page.transactions));
      page = await pool.store.peekPending({ limit: 1_000, after: page.next });
    }
    const whole = Math.max(answers.length, Math.ceil(waiting.length / 7));
    assert.deepEqual(waiting, hashesOf(batches.slice(0, whole).flat()));
  },
  'D1/killed-again: killed again and again, the store keeps every answered call and no partial one': async (
    context,
  ) => {
    const universe = await makeHistory(context.random.uint32(), 400, historyOptions);
    await killAgain(context, universe, 40);
  },
  'X1/killed-confirming: a kill in the middle of a large block leaves all of it or nothing': async (context) => {
    await killAgain(context, largeBlocks(context), 6);
  },
  'X2/repeated-after-a-kill: calls repeated with their ids after a kill are carried out once': async (context) => {
    const { hashes, calls } = await makeHistory(context.random.uint32(), 120, historyOptions);
    const named = calls.map((call, i): Call => {
      const args = [...call.args.slice(0, -1), { operationId: `call ${i}` }];
      return { verb: call.verb, args } as Call;
    });
    await playAndKill(context, { calls: named, options: historyOptions, answered: 20 + context.random.below(60) });
    const pool = await openPool(context, historyOptions);
    const model = new Model(historyOptions);
    for (const call of named)
      assertSame(await perform(pool.store, call), await perform(model, call), 'the outcome is not the one due');
    assertSame(
      await observeWhole(pool.store, hashes),
      await expectWhole(model, hashes),
      'the repeated calls left a trace',
    );
  },
  'X4/killed-follower: a killed follower continues from the tip: no block is applied twice or left out': async (
    context,
  ) => {
    const blocks = chain(200);
    await playAndKill(context, { calls: blocks, options: historyOptions, answered: 10 + context.random.below(60) });
    const pool = await openPool(context, historyOptions);
    const { tick } = await pool.store.tip();
    for (const call of blocks.slice(tick)) await perform(pool.store, call);
    const events = await pool.events();
    assert.deepEqual(
      events.map((event) => event.kind === 'block' && [event.action, event.tick, event.point]),
      blocks.map((_, i) => ['applied', i + 1, point(i + 1)]),
    );
  },
  'D1/killed-while-open: a kill while nothing is under way takes nothing back': async (context) => {
    const batch = transactions(context.random, 20);
    const child = await context.fork('play', { calls: [{ verb: 'receive', args: [batch] }] });
    await child.message();
    await child.kill();
    assert.deepEqual(await (await openPool(context)).pending(), hashesOf(batch));
  },
}).map(needing(...killable));
