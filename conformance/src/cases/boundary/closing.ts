import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { isMempoolError, mempoolErrorCodes } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRow, must, mustEach, needing } from '../../case/must.ts';
import { historyOptions, makeHistory } from '../../histories/pool-calls.ts';
import { eachOnPool, openOther, openPool } from '../../scenario/on-pool.ts';
import { point } from '../../scenario/pool.ts';
import { readVerbs, rejection, writeVerbs } from '../../scenario/verb-call.ts';

const onePool = eachOnPool({
  'R1/code: an error has a code of the closed list and says whether a retry may help': async (pool, store) => {
    const invalid = await rejection(pool.mark('XY'));
    await store.close();
    const closed = await rejection(store.usage());
    for (const error of [invalid, closed]) {
      assert.ok(isMempoolError(error));
      assert.ok(error instanceof Error && mempoolErrorCodes.includes(error.code));
      assert.equal(error.retryable, false);
    }
  },
  'R1/known-by-code: an error is recognized by its code, whichever copy of the library made it': async (pool) => {
    const error = await rejection(pool.mark('XY'));
    assert.ok(isMempoolError(error, 'ERR_MEMPOOL_INVALID'));
    const copy = Object.assign(new Error(error.message), { code: error.code, retryable: error.retryable });
    assert.ok(isMempoolError(copy, 'ERR_MEMPOOL_INVALID'));
    assert.equal(isMempoolError(Object.assign(new Error('other'), { code: 'ENOENT' })), false);
  },
  'R1/expected-outcomes: an expected outcome is a value, not an error': async (pool, store) => {
    const one = pool.transaction();
    await store.receive([one]);
    await pool.block(1);
    const kinds = [
      (await store.receive([one]))[0]?.kind,
      (await pool.block(1)).kind,
      (await store.confirm({ point: point(5), parent: point(4).hash, seen: [], unseen: [] })).kind,
      (await pool.rollback(1)).kind,
      (await pool.rollback(9)).kind,
    ];
    assert.deepEqual(kinds, ['duplicate', 'duplicate', 'gap', 'unchanged', 'unknown-point']);
  },
  'R1/capabilities: the capabilities are booleans, the same before open and after close': async (pool, store) => {
    const opened = { ...store.capabilities };
    await store.close();
    assert.deepEqual(
      [opened, { ...store.capabilities }],
      [{ ...pool.context.capabilities }, { ...pool.context.capabilities }],
    );
    assert.ok(Object.values(opened).every((value) => typeof value === 'boolean'));
    assert.deepEqual(Object.keys(opened).filter((name) => name === 'durable' || name === 'shared').length, 2);
  },
  'R2/close-twice: close may be called twice, also at once': async ({ store }) => {
    await Promise.all([store.close(), store.close()]);
    await store.close();
    assert.ok(isMempoolError(await rejection(store.usage()), 'ERR_MEMPOOL_CLOSED'));
  },
  'R2/dispose: Symbol.asyncDispose closes': async ({ store }) => {
    await store[Symbol.asyncDispose]();
    assert.ok(isMempoolError(await rejection(store.usage()), 'ERR_MEMPOOL_CLOSED'));
  },
  'R2/calls-under-way: close waits for the calls under way': async (pool, store) => {
    const calls: Promise<unknown>[] = Array.from({ length: 20 }, () => pool.receive(3));
    calls.push(pool.block(1), store.peekPending(), store.usage());
    let answered = 0;
    const answers = calls.map((call) => call.then(() => (answered += 1)));
    const closed = store.close().then(turn);
    const [answeredAtTheEnd] = await Promise.all([closed.then(() => answered), ...answers]);
    assert.equal(answeredAtTheEnd, calls.length);
  },
  'R2/no-new-calls: a call made after close began is refused': async (pool, store) => {
    const earlier = pool.receive(5);
    const closing = store.close();
    const later = rejection(store.receive([pool.transaction()]));
    const [error] = await Promise.all([later, earlier, closing]);
    assert.ok(isMempoolError(error, 'ERR_MEMPOOL_CLOSED'));
  },
});

const ownPools = mustEach({
  'R2/other-pool: closing one pool leaves another one open': async (context) => {
    const [pool, other] = [await openPool(context), await openOther(context)];
    await pool.store.close();
    await other.receive(2);
    assert.equal((await other.store.usage()).pending, 2);
  },
});

const closed = must('R2/closed', 'every verb of a closed store is refused', async (context) => {
  await eachRow(
    writeVerbs,
    ({ verb }) => verb,
    async ({ arrange }) => {
      const pool = await openOther(context);
      const { call } = await arrange(pool);
      await pool.store.close();
      assert.ok(isMempoolError(await rejection(call()), 'ERR_MEMPOOL_CLOSED'));
    },
  );
  const pool = await openPool(context);
  const hash = await pool.receiveOne();
  await pool.store.close();
  await eachRow(
    readVerbs,
    ({ verb }) => verb,
    async ({ call }) => assert.ok(isMempoolError(await rejection(call(pool.store, hash)), 'ERR_MEMPOOL_CLOSED')),
  );
});

export const closingCases: readonly ConformanceCase[] = [...onePool, closed, ...ownPools];

export const processCases: readonly ConformanceCase[] = mustEach({
  'R2/process-ends: after close nothing of the store keeps the process alive': async (context) => {
    const { calls } = await makeHistory(context.random.uint32(), 40, historyOptions);
    const child = await context.fork('finish', { calls });
    await child.exited();
  },
  'R2/process-ends-unused: a store that was only opened and closed does not hold the process': async (context) => {
    const child = await context.fork('finish', { calls: [] });
    await child.exited();
  },
}).map(needing('child-process'));
