import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChainPoint } from 'mempool-core';
import type { LeaseStore } from 'mempool-election';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import {
  assertFenced,
  eachFenced,
  forBoth,
  leaderVerbs,
  nothing,
  onlyLease,
  type Scene,
  whole,
} from '../../scenario/fencing.ts';
import { renew, renewal, untilFree, untilTrue, win } from '../../scenario/lease.ts';
import { forkPoint, point, stagesOf, transaction } from '../../scenario/pool.ts';

const repeating: readonly ConformanceCase[] = [
  ...forBoth(
    'operation',
    'a fenced {verb} is not recorded: under its operation id it applies later',
    async (all, verb, context) => {
      const operationId = 'the same';
      const lease = await win(context, all.leases);
      await assertFenced(context, all, verb, { operationId });
      await assertFenced(context, all, verb, { operationId, lease: { ...onlyLease(lease), term: lease.term + 1 } });
      assert.equal((await verb.call(all, { operationId, lease: onlyLease(lease) })).kind, verb.applied);
    },
  ),
  ...forBoth(
    'answered',
    'a {verb} that was done is answered again, whoever leads by now',
    async (all, verb, context) => {
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

/**
 * Applies blocks under a new lease for longer than its time: what became of them, and of it. `null` where a stall left it
 * without a block for all of its time, for then it ran out by right.
 */
async function outlived(context: CaseContext, { store, leases }: Scene, ttlMs: number) {
  const begunMs = performance.now();
  const lease = onlyLease(await win(context, leases, { ttlMs }));
  const kinds = new Set<string>();
  let renewedMs = begunMs;
  const isTooLate = (): boolean => performance.now() - renewedMs >= ttlMs;
  while (performance.now() - begunMs < 1.2 * ttlMs) {
    const { tick } = await store.tip();
    const sentMs = performance.now();
    const block = { point: point(tick + 1), parent: point(tick).hash, ...nothing };
    kinds.add((await store.confirm(block, {}, { lease })).kind);
    if (isTooLate()) return null;
    renewedMs = sentMs;
    await delay(5);
  }
  const isHeld = (await leases.observe()).lease?.token === lease.token;
  return isTooLate() ? null : { kinds: [...kinds], isHeld };
}

const renewedTtlMs = 600;

/** Looks at what is told to be left of a lease, of which one at least is not held up. */
const looks = 5;
const agedMs = 300;
const roundingMs = 10;

/** The earliest and the latest moment at which the lease can end, by what is told to be left of it. */
async function endOf(leases: LeaseStore): Promise<readonly [number, number]> {
  let [earliest, latest] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let look = 0; look < looks; look++) {
    const askedMs = performance.now();
    const { remainingMs } = (await leases.observe()).lease ?? assert.fail('no lease');
    earliest = Math.max(earliest, askedMs + (remainingMs ?? Number.NaN));
    latest = Math.min(latest, performance.now() + (remainingMs ?? Number.NaN));
  }
  return [earliest, latest];
}

/** The call must leave the end of a lease, some of whose time is over, where it is. */
async function assertNotRenewed(leases: LeaseStore, call: () => Promise<unknown>): Promise<void> {
  const [, latest] = await endOf(leases);
  const agedAtMs = performance.now() + agedMs;
  await untilTrue('some of the time is over', () => performance.now() >= agedAtMs);
  await call();
  const [earliest] = await endOf(leases);
  assert.ok(earliest <= latest + roundingMs);
}

/** The call must begin the time of a lease anew, some of which is over. */
async function assertRenewed(leases: LeaseStore, call: () => Promise<unknown>): Promise<void> {
  const [, latest] = await endOf(leases);
  const agedAtMs = performance.now() + agedMs;
  await untilTrue('some of the time is over', () => performance.now() >= agedAtMs);
  await call();
  const [earliest] = await endOf(leases);
  assert.ok(earliest > latest + roundingMs);
}

const keeping: readonly ConformanceCase[] = eachFenced({
  'X6/renewing-rollback: a rollback that moves the tip renews the lease': async ({ store, leases }, context) => {
    const lease = onlyLease(await win(context, leases));
    for (const target of [point(1), null])
      await assertRenewed(leases, async () =>
        assert.equal((await store.rollback(target, { lease })).kind, 'rolled-back'),
      );
  },
  'X6/renewing: blocks that are applied renew the lease': async (all, context) => {
    let became = await outlived(context, all, renewedTtlMs);
    for (; became === null; became = await outlived(context, all, renewedTtlMs)) await untilFree(all.leases);
    assert.deepEqual(became, { kinds: ['applied'], isHeld: true });
    await untilFree(all.leases);
  },
  'X6/renewing-is-no-beat: a block renews the time of the lease, but not its seq': async (
    { store, leases },
    context,
  ) => {
    const lease = await renew(leases, await win(context, leases));
    await store.confirm({ point: point(3), ...nothing }, {}, { lease: onlyLease(lease) });
    const { seq, hbSeq } = (await leases.observe()).lease ?? assert.fail('no lease');
    assert.deepEqual([seq, hbSeq], [lease.seq, lease.hbSeq]);
    assert.equal((await leases.renew(lease, renewal(lease))).kind, 'renewed');
  },
  'X6/fenced-renews-nothing: a call that is fenced does not renew the lease of another': async (all, context) => {
    const lease = await win(context, all.leases);
    await assertNotRenewed(all.leases, async () => {
      for (const { call } of leaderVerbs) {
        await call(all);
        await call(all, { lease: { ...onlyLease(lease), nodeId: 'node-x' } });
      }
    });
  },
  'X6/unmoved-renews-nothing: a call that leaves the tip where it is does not renew the lease': async (
    { store, leases },
    context,
  ) => {
    const lease = onlyLease(await win(context, leases));
    await assertNotRenewed(leases, async () => {
      const kinds = [
        (await store.confirm({ point: point(2), parent: point(1).hash, ...nothing }, {}, { lease })).kind,
        (await store.confirm({ point: point(9), parent: point(8).hash, ...nothing }, {}, { lease })).kind,
        (await store.rollback(point(2), { lease })).kind,
        (await store.rollback(forkPoint(7), { lease })).kind,
      ];
      assert.deepEqual(kinds, ['duplicate', 'gap', 'unchanged', 'unknown-point']);
    });
  },
});

const blocks: readonly ConformanceCase[] = eachFenced({
  'X6/duplicate: a block applied before is a duplicate for the leader, fenced for others': async (
    { store, leases },
    context,
  ) => {
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
  'X6/gap: a block that does not fit is a gap for the leader, fenced for others': async (
    { store, leases },
    context,
  ) => {
    const lease = onlyLease(await win(context, leases));
    const tip = { point: point(2), tick: 2 };
    const far = { point: point(9), parent: point(8).hash, ...nothing };
    assert.deepEqual(await store.confirm(far, {}, { lease }), { kind: 'gap', tip });
    assert.deepEqual(await store.confirm(far), { kind: 'fenced', tip });
  },
  'X6/unchanged: a rollback without effect is fenced for others too': async ({ store, leases }, context) => {
    const lease = onlyLease(await win(context, leases));
    const kinds = async (to: ChainPoint) => [
      (await store.rollback(to, { lease })).kind,
      (await store.rollback(to)).kind,
    ];
    assert.deepEqual(await kinds(point(2)), ['unchanged', 'fenced']);
    assert.deepEqual(await kinds(forkPoint(7)), ['unknown-point', 'fenced']);
  },
  'X6/sightings: a fenced block is not remembered for what is received later': async ({ store, leases }, context) => {
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
  },
  'X6/other-verbs: every other verb goes on, whoever leads': async ({ store, leases, hash }, context) => {
    await win(context, leases);
    const one = transaction(context.random);
    assert.equal((await store.receive([one]))[0]?.kind, 'received');
    assert.deepEqual(await store.markInflight([one.hash]), [one.hash]);
    assert.deepEqual(await store.markAcknowledged([one.hash]), [one.hash]);
    assert.deepEqual(await store.release([one.hash, hash]), [one.hash, hash]);
    assert.deepEqual(await store.drop([one.hash], 'gone'), [one.hash]);
  },
});

/** X6: what is answered, remembered and renewed. */
export const fencedAnswerCases: readonly ConformanceCase[] = [...repeating, ...keeping, ...blocks];
