import assert from 'node:assert/strict';
import type { Lease } from 'mempool-core';
import type { LeaseStore } from 'mempool-election';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { mustFence } from '../../case/must.ts';
import {
  assertFenced,
  forBoth,
  type LeaderVerb,
  leaderVerbs,
  nothing,
  onlyLease,
  type Scene,
  succeeded,
  type WriteUnderLease,
} from '../../scenario/fencing.ts';
import { expire, uuid, win } from '../../scenario/lease.ts';
import { emptyBlocks, never, point, propagateOne, transaction } from '../../scenario/pool.ts';

type Arrange = (context: CaseContext, all: Scene) => Promise<WriteUnderLease>;

/** Reads the same for both verbs: whatever is arranged, the call is fenced. */
function fenced(name: string, title: string, arrange: Arrange): ConformanceCase[] {
  return forBoth(name, `${title}: {verb} is fenced and changes nothing`, async (all, verb, context) => {
    await assertFenced(context, all, verb, await arrange(context, all));
  });
}

/** A lease that differs from the live one in one part. */
function forged(name: string, title: string, forge: (lease: Lease, random: CaseContext['random']) => Partial<Lease>) {
  return fenced(name, title, async (context, { leases }) => {
    const lease = onlyLease(await win(context, leases));
    return { lease: { ...lease, ...forge(lease, context.random) } };
  });
}

const applying: readonly ConformanceCase[] = [
  ...forBoth('live', 'under the live lease {verb} applies', async (all, verb, context) => {
    const lease = onlyLease(await win(context, all.leases));
    assert.equal((await verb.call(all, { lease })).kind, verb.applied);
  }),
  ...forBoth('nobody', 'without a lease, while nobody holds one, {verb} applies', async (all, verb) => {
    assert.equal((await verb.call(all)).kind, verb.applied);
  }),
  ...forBoth('released-again', 'after a release {verb} applies without a lease again', async (all, verb, context) => {
    const lease = await win(context, all.leases);
    assert.equal((await verb.call(all)).kind, 'fenced');
    await all.leases.release(lease);
    assert.equal((await verb.call(all)).kind, verb.applied);
  }),
  ...forBoth('expired-again', 'after a lease ran out {verb} applies without one again', async (all, verb, context) => {
    await expire(all.leases, await win(context, all.leases));
    assert.equal((await verb.call(all)).kind, verb.applied);
  }),
  ...forBoth('successor', 'under the successor’s lease {verb} applies', async (all, verb, context) => {
    const [, next] = await succeeded(context, all);
    assert.equal((await verb.call(all, { lease: onlyLease(next) })).kind, verb.applied);
  }),
];

const fencedCases: readonly ConformanceCase[] = [
  ...fenced('no-lease', 'without a lease, while somebody holds one', async (context, { leases }) => {
    await win(context, leases);
    return {};
  }),
  ...fenced('never-won', 'with a lease, while nobody holds one', async ({ random }) => ({
    lease: { nodeId: 'node-a', token: uuid(random), term: 1 },
  })),
  ...forged('node', 'with another node’s id', () => ({ nodeId: 'node-x' })),
  ...forged('token', 'with another token', (_, random) => ({ token: uuid(random) })),
  ...forged('longer-node', 'with a node’s id that begins with the leader’s', ({ nodeId }) => ({
    nodeId: `${nodeId}2`,
  })),
  ...forged('capitals', 'with the leader’s token in capitals', ({ token }) => ({ token: token.toUpperCase() })),
  ...forged('lower-term', 'with an earlier term', ({ term }) => ({ term: term - 1 })),
  ...forged('higher-term', 'with a higher term', ({ term }) => ({ term: term + 1 })),
  ...fenced('expired', 'under a lease out of its time, before anybody else won', async (context, { leases }) => {
    const lease = await win(context, leases);
    await expire(leases, lease);
    return { lease: onlyLease(lease) };
  }),
  ...fenced('released', 'under a lease that was released', async (context, { leases }) => {
    const lease = await win(context, leases);
    await leases.release(lease);
    return { lease: onlyLease(lease) };
  }),
  ...fenced('taken', 'under a lease that another one took', async (context, all) => {
    const [lease] = await succeeded(context, all);
    return { lease: onlyLease(lease) };
  }),
  ...fenced('other-pool', 'under the lease of another pool’s election', async (context) => ({
    lease: onlyLease(await win(context, await context.leases({ pool: context.newPool() }))),
  })),
];

const demanding = leaderVerbs.map((one) => {
  const title = `a node opened with fenced: true lets ${one.verb} through only under a lease`;
  return mustFence(`X6/demanded-${one.verb}`, title, async (context) => {
    const [store, leases] = [await context.open({ fenced: true }), await context.leases()];
    const hash = await propagateOne(context, store);
    assert.equal((await store.confirm({ point: point(1), ...nothing })).kind, 'fenced');
    const lease = onlyLease(await win(context, leases));
    for (const n of [1, 2])
      assert.equal((await store.confirm({ point: point(n), ...nothing }, {}, { lease })).kind, 'applied');
    await leases.release(lease);
    const all = { store, leases, hash };
    await assertFenced(context, all, one);
    assert.equal((await one.call(all, { lease: onlyLease(await win(context, leases)) })).kind, one.applied);
  });
});

/** How many calls stand in front: where the call did not wait behind a few, it may behind more. */
const backlogs = [1, 4] as const;
const callBytes = 10_000;

/** What the call comes with, and what happens to the lease before its turn. */
type Overtaking = (
  context: CaseContext,
  leases: LeaseStore,
) => Promise<readonly [WriteUnderLease, () => Promise<unknown>]>;

/**
 * Makes the call behind others and changes the lease meanwhile. Where the tip, read after that, has not moved, the call had its turn
 * later and must be fenced; else it had it before, which says nothing.
 */
async function hasOvertaken(
  context: CaseContext,
  all: Scene,
  { call }: LeaderVerb,
  backlog: number,
  overtaking: Overtaking,
): Promise<boolean> {
  const { store, leases } = all;
  const [options, change] = await overtaking(context, leases);
  const before = Array.from({ length: backlog }, () => store.receive([transaction(context.random, callBytes)]));
  const called = call(all, options);
  await change();
  const { tick } = await store.tip();
  const outcome = await called;
  await Promise.all(before);
  if (tick === 2) assert.deepEqual(outcome, { kind: 'fenced', tip: { point: point(2), tick } });
  return tick === 2;
}

/** Makes the scene what it was, where the call has applied. */
async function restore({ store, leases }: Scene): Promise<void> {
  const { lease } = await leases.observe();
  if (lease !== null) await leases.release(lease);
  const { tick } = await store.tip();
  if (tick > 2) await store.rollback(point(2));
  if (tick < 2) await emptyBlocks(store, tick + 1, 2, never);
}

function inTurn(name: string, title: string, overtaking: Overtaking): ConformanceCase[] {
  return forBoth(name, `${title} while {verb} waits for its turn: it is fenced`, async (all, verb, context) => {
    for (const backlog of backlogs) {
      if (await hasOvertaken(context, all, verb, backlog, overtaking)) return;
      await restore(all);
    }
  });
}

const waiting: readonly ConformanceCase[] = [
  ...inTurn('released-before-its-turn', 'the lease is released', async (context, leases) => {
    const lease = await win(context, leases);
    return [{ lease: onlyLease(lease) }, () => leases.release(lease)];
  }),
  ...inTurn('won-before-its-turn', 'a node wins the lease', async (context, leases) => [
    {},
    () => win(context, leases),
  ]),
];

/** X6: who may apply. */
export const fencingCases: readonly ConformanceCase[] = [...applying, ...fencedCases, ...demanding, ...waiting];
