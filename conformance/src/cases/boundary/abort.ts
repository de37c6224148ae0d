import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { ofBoundary } from '../../case/must.ts';
import { eachOnPool, onPool } from '../../scenario/on-pool.ts';
import { type ReadVerb, readVerbs, rejection, type WriteVerb, writeVerbs } from '../../scenario/verb-call.ts';

function abortedBefore({ verb, arrange }: WriteVerb): ConformanceCase {
  const title = `${verb} with an aborted signal rejects with its reason and leaves the store untouched`;
  return onPool(`R3/aborted-${verb}`, title, async (pool) => {
    const { call } = await arrange(pool);
    const before = await pool.snapshot();
    const reason = new Error('not any more');
    assert.equal(await rejection(call({ signal: AbortSignal.abort(reason) })), reason);
    assert.deepEqual(await pool.snapshot(), before);
  });
}

/** Either is right. Wrong: a change without an answer, or an answer without a change. */
function abortedDuring({ verb, arrange }: WriteVerb): ConformanceCase {
  const title = `${verb} that is aborted on its way is done and answered, or neither`;
  return onPool(`R3/during-${verb}`, title, async (pool) => {
    const { call } = await arrange(pool);
    const before = await pool.snapshot();
    const controller = new AbortController();
    const reason = new Error('enough');
    const calling = Promise.allSettled([call({ signal: controller.signal })]);
    controller.abort(reason);
    const [result] = await calling;
    const [{ lastEventSeq }] = await pool.snapshot();
    assert.equal(lastEventSeq > before[0].lastEventSeq, result.status === 'fulfilled');
    assert.equal(result.status === 'rejected' ? result.reason : reason, reason);
  });
}

function abortedRead({ verb, call }: ReadVerb): ConformanceCase {
  return onPool(`R3/aborted-${verb}`, `${verb} with an aborted signal rejects with its reason`, async (pool, store) => {
    const hash = await pool.receiveOne();
    const reason = new Error('not any more');
    assert.equal(await rejection(call(store, hash, { signal: AbortSignal.abort(reason) })), reason);
  });
}

const onePool = eachOnPool({
  'R3/any-reason: the reason may be any value': async (pool, store) => {
    const signal = AbortSignal.abort('a mere text');
    assert.equal(await rejection(store.receive([pool.transaction()], { signal })), 'a mere text');
  },
  'R3/afterwards: an abort after the answer changes nothing': async (pool, store) => {
    const controller = new AbortController();
    const one = pool.transaction();
    await store.receive([one], { signal: controller.signal });
    controller.abort();
    assert.deepEqual(await pool.pending(), [one.hash]);
  },
  'R3/others-go-on: the abort of one caller leaves the calls of others alone': async (pool, store) => {
    const [a, b, c] = [pool.transaction(), pool.transaction(), pool.transaction()];
    const controller = new AbortController();
    const calls = [store.receive([a]), store.receive([b], { signal: controller.signal }), store.receive([c])];
    const settled = Promise.allSettled(calls);
    controller.abort();
    const [first, , third] = await settled;
    assert.deepEqual([first?.status, third?.status], ['fulfilled', 'fulfilled']);
    const waiting = await pool.pending();
    assert.deepEqual(
      waiting.filter((hash) => hash !== b.hash),
      [a.hash, c.hash],
    );
  },
  'R3/id-still-free: a call that was aborted before it began leaves its operation id free': async (pool, store) => {
    const one = pool.transaction();
    const operationId = 'operation-1';
    await rejection(store.receive([one], { operationId, signal: AbortSignal.abort() }));
    assert.equal((await store.receive([one], { operationId }))[0]?.kind, 'received');
  },
});

const samples = ['R3/aborted-receive', 'R3/aborted-usage'];

export const abortCases: readonly ConformanceCase[] = [
  ...ofBoundary([...writeVerbs.map(abortedBefore), ...readVerbs.map(abortedRead)], samples),
  ...writeVerbs.map(abortedDuring),
  ...onePool,
];
