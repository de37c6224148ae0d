import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChainPoint, Lease, MempoolStore } from 'mempool-core';
import type { LeaseStore } from 'mempool-election';
import type { ConformanceCase } from '../case.ts';
import { assertFenced, forBoth, leaderVerbs, nothing, onlyLease, scene, whole } from '../fencing-scenario.ts';
import { renew, renewal, untilFree, untilTrue, win } from '../lease-scenario.ts';
import { mustFence } from '../must.ts';
import { forkPoint, point, stagesOf, transaction } from '../scenario.ts';

const repeating: readonly ConformanceCase[] = [
  ...forBoth(
    'operation',
    (verb) => `a fenced ${verb} is not recorded: under its operation id it applies later`,
    async (context, verb) => {
      const all = await scene(context);
      const operationId = 'the same';
      const lease = await win(context, all.leases);
      await assertFenced(context, all, verb, { operationId });
      await assertFenced(context, all, verb, { operationId, lease: { ...onlyLease(lease), term: lease.term + 1 } });
      assert.equal((await verb.call(all, { operationId, lease: onlyLease(lease) })).kind, verb.applied);
    },
  ),
  ...forBoth(
    'answered',
    (verb) => `a ${verb} that was done is answered again, whoever leads by now`,
    async (context, verb) => {
      const all = await scene(context);
      const operationId = 'the same';
      const lease = await win(context, all.leases);
      const first = await verb.call(all, { operationId, lease: onlyLease(lease) });
      await all.leases.release(lease);
      assert.deepEqual(await verb.call(all, { operationId, lease: onlyLease(lease) }), first);
      const next = await win(context, all.leases);
      const before = await whole(context, all);
      for (const given of [{ lease: onlyLease(lease) }, { lease: onlyLease(next) }, {}])
        assert.deepEqual(await verb.call(all, { operationId, ...given }), first);
      assert.deepEqual([first.kind, await whole(context, all)], [verb.applied, before]);
    },
  ),
];

/** Applies blocks under the lease until so much time has gone by; returns what became of them. */
async function applyFor(durationMs: number, store: MempoolStore, lease: Lease): Promise<ReadonlySet<string>> {
  const end = performance.now() + durationMs;
  const kinds = new Set<string>();
  for (let n = 3; performance.now() < end; n++) {
    const block = { point: point(n), parent: point(n - 1).hash, ...nothing };
    kinds.add((await store.confirm(block, {}, { lease })).kind);
    await delay(5);
  }
  return kinds;
}

async function remaining(leases: LeaseStore): Promise<number | null> {
  return (await leases.observe()).lease?.remainingMs ?? null;
}

/** What is left of the lease's time, when some of it is over. */
async function someOver(leases: LeaseStore): Promise<number> {
  const told = (await remaining(leases)) ?? 0;
  await untilTrue('some of the time is over', async () => ((await remaining(leases)) ?? -1) < told - 15);
  return (await remaining(leases)) ?? 0;
}

const keeping: readonly ConformanceCase[] = [
  mustFence(
    'X6/renewing',
    'blocks that are applied renew the lease: it outlives its time without a renewal',
    async (context) => {
      const { store, leases } = await scene(context);
      const ttlMs = 1_500;
      const lease = await win(context, leases, { ttlMs });
      assert.deepEqual([...(await applyFor(1.2 * ttlMs, store, onlyLease(lease)))], ['applied']);
      assert.equal((await leases.observe()).lease?.token, lease.token);
      await untilFree(leases);
    },
  ),
  mustFence(
    'X6/renewing-is-no-beat',
    'a block renews the time, not the seq by which others see a leader alive',
    async (context) => {
      const { store, leases } = await scene(context);
      const lease = await renew(leases, await win(context, leases));
      await store.confirm({ point: point(3), ...nothing }, {}, { lease: onlyLease(lease) });
      const { seq, hbSeq } = (await leases.observe()).lease ?? assert.fail('no lease');
      assert.deepEqual([seq, hbSeq], [lease.seq, lease.hbSeq]);
      assert.equal((await leases.renew(lease, renewal(lease))).kind, 'renewed');
    },
  ),
  mustFence(
    'X6/fenced-renews-nothing',
    'a call that is fenced does not renew the lease of another',
    async (context) => {
      const all = await scene(context);
      const lease = await win(context, all.leases);
      const before = await someOver(all.leases);
      for (const { call } of leaderVerbs) {
        await call(all);
        await call(all, { lease: { ...onlyLease(lease), nodeId: 'node-x' } });
      }
      assert.ok(((await remaining(all.leases)) ?? 0) <= before);
    },
  ),
  mustFence(
    'X6/unmoved-renews-nothing',
    'a block or a rollback that leaves the tip where it is does not renew the lease',
    async (context) => {
      const { store, leases } = await scene(context);
      const lease = onlyLease(await win(context, leases));
      const before = await someOver(leases);
      const kinds = [
        (await store.confirm({ point: point(2), parent: point(1).hash, ...nothing }, {}, { lease })).kind,
        (await store.confirm({ point: point(9), parent: point(8).hash, ...nothing }, {}, { lease })).kind,
        (await store.rollback(point(2), { lease })).kind,
        (await store.rollback(forkPoint(7), { lease })).kind,
      ];
      assert.deepEqual(kinds, ['duplicate', 'gap', 'unchanged', 'unknown-point']);
      assert.ok(((await remaining(leases)) ?? 0) <= before);
    },
  ),
];

const blocks: readonly ConformanceCase[] = [
  mustFence(
    'X6/duplicate',
    'a block that was applied is a duplicate for the leader, and fenced for others',
    async (context) => {
      const { store, leases } = await scene(context);
      const lease = onlyLease(await win(context, leases));
      const tip = { point: point(2), tick: 2 };
      const again = { point: point(2), parent: point(1).hash, ...nothing };
      assert.deepEqual(await store.confirm(again, {}, { lease }), { kind: 'duplicate', tip });
      assert.deepEqual(await store.confirm(again), { kind: 'fenced', tip });
      assert.deepEqual(await store.confirm(again, {}, { lease: { ...lease, term: lease.term - 1 } }), {
        kind: 'fenced',
        tip,
      });
    },
  ),
  mustFence('X6/gap', 'a block that does not fit is a gap for the leader, and fenced for others', async (context) => {
    const { store, leases } = await scene(context);
    const lease = onlyLease(await win(context, leases));
    const tip = { point: point(2), tick: 2 };
    const far = { point: point(9), parent: point(8).hash, ...nothing };
    assert.deepEqual(await store.confirm(far, {}, { lease }), { kind: 'gap', tip });
    assert.deepEqual(await store.confirm(far), { kind: 'fenced', tip });
  }),
  mustFence('X6/unchanged', 'a rollback that would change nothing is fenced for others, too', async (context) => {
    const { store, leases } = await scene(context);
    const lease = onlyLease(await win(context, leases));
    const kinds = async (to: ChainPoint) => [
      (await store.rollback(to, { lease })).kind,
      (await store.rollback(to)).kind,
    ];
    assert.deepEqual(await kinds(point(2)), ['unchanged', 'fenced']);
    assert.deepEqual(await kinds(forkPoint(7)), ['unknown-point', 'fenced']);
  }),
  mustFence('X6/sightings', 'a fenced block is not remembered for what is received later', async (context) => {
    const { store, leases } = await scene(context);
    const lease = onlyLease(await win(context, leases));
    const [fencedTx, seenTx] = [transaction(context.random), transaction(context.random)];
    const parent = point(2).hash;
    await store.confirm({ point: forkPoint(3), parent, seen: [fencedTx.hash], unseen: [] });
    await store.confirm({ point: point(3), parent, seen: [seenTx.hash], unseen: [] }, {}, { lease });
    const outcomes = await store.receive([fencedTx, seenTx]);
    assert.deepEqual(
      outcomes.map((one) => one.kind === 'received' && one.stage),
      ['Pending', 'Confirmed'],
    );
    assert.deepEqual(await stagesOf(store, [fencedTx.hash, seenTx.hash]), ['Pending', 'Confirmed']);
  }),
  mustFence('X6/other-verbs', 'every other verb goes on, whoever leads', async (context) => {
    const { store, leases, hash } = await scene(context);
    await win(context, leases);
    const one = transaction(context.random);
    assert.equal((await store.receive([one]))[0]?.kind, 'received');
    assert.deepEqual(await store.markInflight([one.hash]), [one.hash]);
    assert.deepEqual(await store.markAcknowledged([one.hash]), [one.hash]);
    assert.deepEqual(await store.release([one.hash, hash]), [one.hash, hash]);
    assert.deepEqual(await store.drop([one.hash], 'gone'), [one.hash]);
  }),
];

/** X6: what is answered, remembered and renewed. */
export const fencedAnswerCases: readonly ConformanceCase[] = [...repeating, ...keeping, ...blocks];
