import assert from 'node:assert/strict';
import { type Block, isMempoolError, type Transaction } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRow, mustEach } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { eachOnPool, openOther, openPool } from '../../scenario/on-pool.ts';
import { point } from '../../scenario/pool.ts';
import { refuses, rejection, writeVerbs } from '../../scenario/verb-call.ts';

const operationId = 'operation-1';
const remembered = 10_000;

interface OtherCall {
  readonly name: string;
  first(store: TestedPool, known: Known): Promise<unknown>;
  second(store: TestedPool, known: Known): Promise<unknown>;
}

/** Two Pending transactions, and two that the pool does not know. */
interface Known {
  readonly pending: readonly [string, string];
  readonly fresh: readonly [Transaction, Transaction];
}

const id = { operationId };
const blockAt = (n: number): Block => ({ point: point(n), seen: [], unseen: [] });

/** Calls with different arguments, made under one id. */
const otherCalls: readonly OtherCall[] = [
  {
    name: 'transactions',
    first: (store, { fresh }) => store.receive([fresh[0]], id),
    second: (store, { fresh }) => store.receive([fresh[1]], id),
  },
  {
    name: 'more-transactions',
    first: (store, { fresh }) => store.receive([fresh[0]], id),
    second: (store, { fresh }) => store.receive([...fresh], id),
  },
  {
    name: 'fewer-transactions',
    first: (store, { fresh }) => store.receive([...fresh], id),
    second: (store, { fresh }) => store.receive([fresh[1]], id),
  },
  {
    name: 'dropped',
    first: (store, { pending }) => store.drop([pending[0]], 'failed', id),
    second: (store, { pending }) => store.drop([pending[1]], 'failed', id),
  },
  {
    name: 'block',
    first: (store) => store.confirm(blockAt(3), {}, id),
    second: (store) => store.confirm(blockAt(4), {}, id),
  },
  {
    name: 'slot',
    first: (store) => store.confirm(blockAt(3), {}, id),
    second: (store) => store.confirm({ ...blockAt(3), point: { ...point(3), slot: 61 } }, {}, id),
  },
  {
    name: 'slot-of-a-target',
    first: (store) => store.rollback(point(1), id),
    second: (store) => store.rollback({ ...point(1), slot: 21 }, id),
  },
  {
    name: 'target',
    first: (store) => store.rollback(point(1), id),
    second: (store) => store.rollback('origin', id),
  },
  {
    name: 'payload',
    first: (store, { fresh: [one] }) => store.receive([one], id),
    second: (store, { fresh: [one, other] }) => store.receive([{ ...one, payload: other.payload }], id),
  },
  {
    name: 'payload-type',
    first: (store, { fresh: [one] }) => store.receive([{ ...one, payloadType: 1 }], id),
    second: (store, { fresh: [one] }) => store.receive([{ ...one, payloadType: 2 }], id),
  },
  {
    name: 'order-of-hashes',
    first: (store, { pending }) => store.markInflight(pending, id),
    second: (store, { pending }) => store.markInflight(pending.toReversed(), id),
  },
  {
    name: 'hashes-that-moved-nothing',
    first: (store, { fresh: [one] }) => store.markAcknowledged([one.hash], id),
    second: (store, { pending }) => store.markAcknowledged(pending, id),
  },
  {
    name: 'reason',
    first: (store, { pending }) => store.drop(pending, 'failed', id),
    second: (store, { pending }) => store.drop(pending, 'invalid', id),
  },
  {
    name: 'policy',
    first: (store) => store.confirm(blockAt(3), { finalizeThreshold: 3 }, id),
    second: (store) => store.confirm(blockAt(3), { finalizeThreshold: 4 }, id),
  },
  {
    name: 'parent',
    first: (store) => store.confirm({ ...blockAt(3), parent: point(2).hash }, {}, id),
    second: (store) => store.confirm(blockAt(3), {}, id),
  },
  {
    name: 'seen',
    first: (store, { pending }) => store.confirm({ ...blockAt(3), seen: pending }, {}, id),
    second: (store, { pending }) => store.confirm({ ...blockAt(3), seen: pending.slice(1) }, {}, id),
  },
  {
    name: 'unseen',
    first: (store, { pending }) => store.confirm({ ...blockAt(3), unseen: pending }, {}, id),
    second: (store, { pending }) => store.confirm({ ...blockAt(3), unseen: pending.slice(1) }, {}, id),
  },
];

const tables = mustEach({
  'X2/other: an operation id used again with other arguments is refused and changes nothing': (context) =>
    eachRow(
      otherCalls,
      ({ name }) => name,
      async ({ first, second }) => {
        const pool = await openOther(context);
        const [a, b] = await pool.receiveHashes(2);
        const known = { pending: [a, b], fresh: [pool.transaction(), pool.transaction()] } as const;
        await pool.block(1);
        await pool.block(2);
        await first(pool.store, known);
        await pool.unchanged(() => refuses(second(pool.store, known), 'ERR_MEMPOOL_INVALID', { field: 'operationId' }));
      },
    ),
  'X2/repeated: a call repeated with its operation id gives its outcome again and changes nothing': (context) =>
    eachRow(
      writeVerbs,
      ({ verb }) => verb,
      async ({ arrange }) => {
        const pool = await openOther(context);
        const { call } = await arrange(pool);
        const first = await call({ operationId });
        await pool.unchanged(async () => assert.deepEqual(await call({ operationId }), first));
      },
    ),
});

const onePool = eachOnPool({
  'X2/first-transactions-told: a receive that reuses an id for more is told the first call’s hashes': async (
    pool,
    store,
  ) => {
    const [one, other] = [pool.transaction(), pool.transaction()];
    await store.receive([one], id);
    const error = await rejection(store.receive([one, other], id));
    assert.ok(isMempoolError(error, 'ERR_MEMPOOL_INVALID'));
    assert.deepEqual(error.details.hashes, [one.hash]);
  },
  'X2/moved-nothing: an id whose call moved nothing is refused without naming hashes': async (pool, store) => {
    const [one, other] = [pool.transaction().hash, pool.transaction().hash];
    assert.deepEqual(await store.markInflight([one], id), []);
    const error = await rejection(store.markInflight([other], id));
    assert.ok(isMempoolError(error, 'ERR_MEMPOOL_INVALID'));
    assert.deepEqual([error.details.field, error.details.hashes], ['operationId', undefined]);
  },
  'X2/ten-thousand: the last 10,000 ids are remembered': async (pool, store) => {
    const one = pool.transaction();
    const foreign = [pool.random.hex(32)];
    // A store that forgets all ids at the ten thousandth forgets this one too.
    for (let i = 0; i < 9; i++) await store.markInflight(foreign, { operationId: `earlier-${i}` });
    const first = await store.receive([one], { operationId });
    const later = Array.from({ length: remembered - 1 }, (_, i) => `later-${i}`);
    // Not all at once: the last of ten thousand calls would wait for the others, on a slow machine longer than the timeout (X5).
    while (later.length > 0)
      await Promise.all(later.splice(0, 10).map((id) => store.markInflight(foreign, { operationId: id })));
    await pool.drop(one.hash);
    assert.deepEqual(await store.receive([one], { operationId }), first);
    assert.deepEqual(await pool.stages(one.hash), ['Dropped']);
    if (!pool.context.capabilities.durable) return;
    await store.close();
    const again = await openPool(pool.context);
    assert.deepEqual(await again.store.receive([one], { operationId }), first);
  },
  'X2/at-once: two equal calls at once with one id are one call': async (pool, store) => {
    const one = pool.transaction();
    const [a, b] = await Promise.all([store.receive([one], { operationId }), store.receive([one], { operationId })]);
    assert.deepEqual(a, b);
    assert.equal(a[0]?.kind, 'received');
  },
  'X2/any-printable: an id may be any 1 to 128 printable characters': async (pool, store) => {
    for (const id of ['x', ' ', '{a}:*\\"\'', '~'.repeat(128)]) {
      const one = pool.transaction();
      const first = await store.receive([one], { operationId: id });
      assert.deepEqual(await store.receive([one], { operationId: id }), first);
    }
  },
});

export const operationCases: readonly ConformanceCase[] = [...tables, ...onePool];
