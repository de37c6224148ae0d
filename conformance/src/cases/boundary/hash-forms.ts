import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRow, mustRank, ofBoundary } from '../../case/must.ts';
import { eachOnPool, onPool } from '../../scenario/on-pool.ts';
import { hashesOf, kindsOf, type Pool, point } from '../../scenario/pool.ts';
import { openScene } from '../../scenario/priority.ts';

type Write = (hash: string) => string;

const inCapitals: Write = (hash) => hash.toUpperCase();
const withPrefix: Write = (hash) => `0x${hash}`;
const inBoth: Write = (hash) => `0x${hash.toUpperCase()}`;

/** Calls every verb that takes hashes, with the hash as `write` writes it. */
async function eachVerb(pool: Pool, write: Write): Promise<void> {
  const one = pool.transaction();
  const { hash } = one;
  const given = write(hash);
  const outcomes = await pool.store.receive([{ ...one, hash: given }, one]);
  assert.deepEqual(
    [kindsOf(outcomes), hashesOf(outcomes)],
    [
      ['received', 'duplicate'],
      [hash, hash],
    ],
  );
  assert.deepEqual(hashesOf(await pool.store.status([given])), [hash]);
  assert.deepEqual(await pool.mark(given, hash), [hash]);
  assert.deepEqual(hashesOf((await pool.store.findInflight([given])).flatMap((found) => found ?? [])), [hash]);
  assert.deepEqual(await pool.acknowledge(given), [hash]);
  assert.deepEqual(await pool.release(given), [hash]);
  const { tick } = await pool.tip();
  await pool.block(tick + 1, { seen: [given] });
  assert.deepEqual(await pool.stages(hash), ['Confirmed']);
  await pool.block(tick + 2, { unseen: [given] });
  assert.deepEqual(await pool.stages(hash), ['Pending']);
  assert.deepEqual(await pool.drop(given), [hash]);
}

const written = onPool(
  'M2/written',
  'a hash in capitals or with 0x is the same hash in every verb; answers have it in lower case without 0x',
  (pool) =>
    eachRow(
      [inCapitals, withPrefix, inBoth],
      (write) => write('ab'),
      (write) => eachVerb(pool, write),
    ),
);

const others = eachOnPool({
  'M2/forms-in-an-operation: a call repeated with its hashes in another form is the same call': async (pool, store) => {
    const one = pool.transaction();
    const { hash } = one;
    const first = await store.receive([one], { operationId: 'receive' });
    assert.deepEqual(await store.receive([{ ...one, hash: inBoth(hash) }], { operationId: 'receive' }), first);
    assert.deepEqual(await store.markInflight([inBoth(hash)], { operationId: 'mark' }), [hash]);
    assert.deepEqual(await store.markInflight([hash], { operationId: 'mark' }), [hash]);
  },
  'M2/forms-of-blocks: the hash of a block in capitals and with 0x is the same hash, as point, parent and target':
    async (_pool, store) => {
      const written = (n: number) => ({ ...point(n), hash: inBoth(point(n).hash) });
      const none = { seen: [], unseen: [] };
      await store.confirm({ point: written(1), ...none });
      const block = { point: written(2), parent: written(1).hash, ...none };
      const applied = await store.confirm(block, {}, { operationId: 'confirm' });
      assert.equal(applied.kind, 'applied');
      const repeated = { ...block, point: point(2), parent: point(1).hash };
      assert.deepEqual(await store.confirm(repeated, {}, { operationId: 'confirm' }), applied);
      assert.deepEqual((await store.tip({ points: 2 })).points, [point(2), point(1)]);
      assert.equal((await store.rollback(written(1))).kind, 'rolled-back');
      assert.deepEqual((await store.tip()).point, point(1));
    },
  'M2/no-unseen: a block without unseen returns nothing': async (pool, store) => {
    const hash = await pool.receiveOne();
    const block = { point: point(1), seen: [hash] };
    const applied = await store.confirm(block, {}, { operationId: 'confirm' });
    assert.deepEqual([applied.kind, await pool.stages(hash)], ['applied', ['Confirmed']]);
    assert.deepEqual(await store.confirm({ ...block, unseen: [] }, {}, { operationId: 'confirm' }), applied);
  },
  'M2/no-payload-type: the payload type is 0 if it is left out': async (pool, store) => {
    const { hash, payload } = pool.transaction();
    const first = await store.receive([{ hash, payload }], { operationId: 'receive' });
    const [stored] = (await store.peekPending()).transactions;
    assert.deepEqual([stored?.hash, stored?.payloadType], [hash, 0]);
    assert.deepEqual(await store.receive([{ hash, payload, payloadType: 0 }], { operationId: 'receive' }), first);
  },
});

const byPriority = mustRank(
  'M2/forms-by-priority',
  'priority pools too take hashes in capitals and with 0x, also in revisions and where payloads are asked for',
  async (context) => {
    const scene = await openScene(context);
    const { store } = scene;
    const given = scene.submission('a', { priority: 1n });
    const { hash } = given;
    const outcomes = await store.receive([{ ...given, hash: inBoth(hash) }, given]);
    assert.deepEqual(
      [kindsOf(outcomes), hashesOf(outcomes)],
      [
        ['received', 'duplicate'],
        [hash, hash],
      ],
    );
    const revision = { hash: inBoth(hash), version: 1, answer: { priority: 2n } };
    assert.deepEqual(hashesOf(await store.revise([revision])), [hash]);
    const [revised] = await store.reap();
    assert.deepEqual([revised?.hash, revised?.priority], [hash, 2n]);
    const [stored] = await store.payloads([inBoth(hash)]);
    assert.equal(stored?.hash, hash);
  },
);

export const hashFormCases: readonly ConformanceCase[] = [
  written,
  ...ofBoundary([...others, byPriority], ['M2/forms-by-priority']),
];
