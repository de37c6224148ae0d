import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRow, mustEach } from '../../case/must.ts';
import { eachOnPool, openOther, openPool } from '../../scenario/on-pool.ts';
import { readVerbs, rejection, writeVerbs } from '../../scenario/verb-call.ts';

const eachVerb = mustEach({
  'R3/aborted: every verb with an aborted signal rejects with its reason and leaves the store untouched': async (
    context,
  ) => {
    const reason = new Error('not any more');
    const signal = AbortSignal.abort(reason);
    await eachRow(
      writeVerbs,
      ({ verb }) => verb,
      async ({ arrange }) => {
        const pool = await openOther(context);
        const { call } = await arrange(pool);
        const before = await pool.snapshot();
        assert.equal(await rejection(call({ signal })), reason);
        assert.deepEqual(await pool.snapshot(), before);
      },
    );
    const pool = await openPool(context);
    const hash = await pool.receiveOne();
    await eachRow(
      readVerbs,
      ({ verb }) => verb,
      async ({ call }) => assert.equal(await rejection(call(pool.store, hash, { signal })), reason),
    );
  },
  'R3/during: a call that is aborted on its way is done and answered, or neither': (context) =>
    eachRow(
      writeVerbs,
      ({ verb }) => verb,
      async ({ arrange }) => {
        const pool = await openOther(context);
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
      },
    ),
});

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

export const abortCases: readonly ConformanceCase[] = [...eachVerb, ...onePool];
