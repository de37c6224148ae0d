import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Lease } from 'mempool-core';
import type { LeaseStore } from 'mempool-election';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { apart, eachRow, mustFence } from '../../case/must.ts';
import {
  assertFenced,
  eachFenced,
  forBoth,
  type LeaderVerb,
  leaderVerbs,
  nothing,
  onlyLease,
  type Scene,
  succeeded,
  type WriteUnderLease,
  whole,
} from '../../scenario/fencing.ts';
import { expire, renew, renewal, untilFree, untilTrue, uuid, win } from '../../scenario/lease.ts';
import { openPool } from '../../scenario/on-pool.ts';
import { forkPoint, never, point } from '../../scenario/pool.ts';

type Arrange = (context: CaseContext, all: Scene) => Promise<WriteUnderLease>;

/** After `arrange`, the call must be fenced. */
function fenced(name: string, title: string, arrange: Arrange): ConformanceCase {
  return forBoth(name, `${title}: the call is fenced and changes nothing`, async (all, verb, context) => {
    await assertFenced(all, verb, await arrange(context, all));
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
  forBoth('live', 'under the live lease the call applies', async (all, verb, context) => {
    const lease = onlyLease(await win(context, all.leases));
    assert.equal((await verb.call(all, { lease })).kind, verb.applied);
  }),
  mustFence('E1/leader', 'the event of a block names the node and the term of its lease', async (context) => {
    const [pool, leases] = [await openPool(context), await context.leases()];
    const lease = onlyLease(await win(context, leases));
    await pool.store.confirm({ point: point(1), seen: [], unseen: [] }, {}, { lease });
    await pool.store.rollback('origin', { lease });
    const told = (await pool.events()).map((event) => event.kind === 'block' && [event.nodeId, event.term]);
    assert.deepEqual(told, Array(2).fill([lease.nodeId, lease.term]));
  }),
  forBoth('nobody', 'without a lease, while nobody holds one, the call applies', async (all, verb) => {
    assert.equal((await verb.call(all)).kind, verb.applied);
  }),
  forBoth('released-again', 'after a release the call applies without a lease again', async (all, verb, context) => {
    const lease = await win(context, all.leases);
    assert.equal((await verb.call(all)).kind, 'fenced');
    await all.leases.release(lease);
    assert.equal((await verb.call(all)).kind, verb.applied);
  }),
  forBoth('expired-again', 'after a lease ran out the call applies without one again', async (all, verb, context) => {
    await expire(all.leases, await win(context, all.leases));
    assert.equal((await verb.call(all)).kind, verb.applied);
  }),
  forBoth('successor', 'under the successor’s lease the call applies', async (all, verb, context) => {
    const [, next] = await succeeded(context, all);
    assert.equal((await verb.call(all, { lease: onlyLease(next) })).kind, verb.applied);
  }),
];

const fencedCases: readonly ConformanceCase[] = [
  fenced('no-lease', 'without a lease, while somebody holds one', async (context, { leases }) => {
    await win(context, leases);
    return {};
  }),
  fenced('never-won', 'with a lease, while nobody holds one', async ({ random }) => ({
    lease: { nodeId: 'node-a', token: uuid(random), term: 1 },
  })),
  forged('node', 'with another node’s id', () => ({ nodeId: 'node-x' })),
  forged('token', 'with another token', (_, random) => ({ token: uuid(random) })),
  forged('longer-node', 'with a node’s id that begins with the leader’s', ({ nodeId }) => ({
    nodeId: `${nodeId}2`,
  })),
  forged('capitals', 'with the leader’s token in capitals', ({ token }) => ({ token: token.toUpperCase() })),
  forged('lower-term', 'with an earlier term', ({ term }) => ({ term: term - 1 })),
  forged('higher-term', 'with a higher term', ({ term }) => ({ term: term + 1 })),
  fenced('expired', 'under a lease out of its time, before anybody else won', async (context, { leases }) => {
    const lease = await win(context, leases);
    await expire(leases, lease);
    return { lease: onlyLease(lease) };
  }),
  fenced('released', 'under a lease that was released', async (context, { leases }) => {
    const lease = await win(context, leases);
    await leases.release(lease);
    return { lease: onlyLease(lease) };
  }),
  fenced('taken', 'under a lease that another one took', async (context, all) => {
    const [lease] = await succeeded(context, all);
    return { lease: onlyLease(lease) };
  }),
  fenced('other-pool', 'under the lease of another pool’s election', async (context) => ({
    lease: onlyLease(await win(context, await context.leases({ pool: context.newPool() }))),
  })),
];

const demanding = mustFence(
  'X6/demanded',
  'a node opened with fenced: true lets a call through only under a lease',
  (context) =>
    eachRow(
      leaderVerbs,
      ({ verb }) => verb,
      (one) => demanded(apart(context), one),
    ),
);

async function demanded(context: CaseContext, one: LeaderVerb): Promise<void> {
  const [pool, leases] = [await openPool(context, { fenced: true }), await context.leases()];
  const hash = await pool.propagateOne();
  assert.equal((await pool.store.confirm({ point: point(1), ...nothing })).kind, 'fenced');
  const lease = onlyLease(await win(context, leases));
  for (const n of [1, 2])
    assert.equal((await pool.store.confirm({ point: point(n), ...nothing }, {}, { lease })).kind, 'applied');
  await leases.release(lease);
  const all = { pool, store: pool.store, leases, hash };
  await assertFenced(all, one);
  assert.equal((await one.call(all, { lease: onlyLease(await win(context, leases)) })).kind, one.applied);
}

/** How many calls are queued in front. If the call did not have to wait for one, it may have to for more. */
const backlogs = [1, 4] as const;
const callBytes = 10_000;

/** The options of the call, and a change to the lease before the call's turn. */
type Overtaking = (
  context: CaseContext,
  leases: LeaseStore,
) => Promise<readonly [WriteUnderLease, () => Promise<unknown>]>;

/**
 * Makes the call behind others and changes the lease meanwhile. If the tip, read after the change, has not moved, the call's turn
 * came later, and it must be fenced. Otherwise its turn came before the change, which proves nothing.
 */
async function hasOvertaken(
  context: CaseContext,
  all: Scene,
  { call }: LeaderVerb,
  backlog: number,
  overtaking: Overtaking,
): Promise<boolean> {
  const { pool, store, leases } = all;
  const [options, change] = await overtaking(context, leases);
  const before = Array.from({ length: backlog }, () => store.receive([pool.transaction(callBytes)]));
  const called = call(all, options);
  await change();
  const { tick } = await store.tip();
  const outcome = await called;
  await Promise.all(before);
  if (tick === 2) assert.deepEqual(outcome, { kind: 'fenced', tip: { point: point(2), tick } });
  return tick === 2;
}

/** Restores the scene after a call that was applied. */
async function restore({ pool, leases }: Scene): Promise<void> {
  const { lease } = await leases.observe();
  if (lease !== null) await leases.release(lease);
  const { tick } = await pool.tip();
  if (tick > 2) await pool.rollback(2);
  if (tick < 2) await pool.blocks(tick + 1, 2, never);
}

function inTurn(name: string, title: string, overtaking: Overtaking): ConformanceCase {
  return forBoth(name, `${title} while the call waits for its turn: it is fenced`, async (all, verb, context) => {
    for (const backlog of backlogs) {
      if (await hasOvertaken(context, all, verb, backlog, overtaking)) return;
      await restore(all);
    }
  });
}

const waiting: readonly ConformanceCase[] = [
  inTurn('released-before-its-turn', 'the lease is released', async (context, leases) => {
    const lease = await win(context, leases);
    return [{ lease: onlyLease(lease) }, () => leases.release(lease)];
  }),
  inTurn('won-before-its-turn', 'a node wins the lease', async (context, leases) => [{}, () => win(context, leases)]),
];

/** Cases of X6: only the leader may apply blocks. */
export const fencingCases: readonly ConformanceCase[] = [...applying, ...fencedCases, demanding, ...waiting];

const repeating: readonly ConformanceCase[] = [
  forBoth(
    'operation',
    'a fenced the call is not recorded: a later call with the same operation id applies',
    async (all, verb, context) => {
      const operationId = 'the same';
      const lease = await win(context, all.leases);
      await assertFenced(all, verb, { operationId });
      await assertFenced(all, verb, { operationId, lease: { ...onlyLease(lease), term: lease.term + 1 } });
      assert.equal((await verb.call(all, { operationId, lease: onlyLease(lease) })).kind, verb.applied);
    },
  ),
  forBoth(
    'answered',
    'a repeated the call gets its recorded answer, whoever leads by now',
    async (all, verb, context) => {
      const operationId = 'the same';
      const lease = await win(context, all.leases);
      const first = await verb.call(all, { operationId, lease: onlyLease(lease) });
      await all.leases.release(lease);
      assert.deepEqual(await verb.call(all, { operationId, lease: onlyLease(lease) }), first);
      const next = await win(context, all.leases);
      const before = await whole(all);
      for (const given of [{ lease: onlyLease(lease) }, { lease: onlyLease(next) }, {}])
        assert.deepEqual(await verb.call(all, { operationId, ...given }), first);
      assert.deepEqual([first.kind, await whole(all)], [verb.applied, before]);
    },
  ),
];

/**
 * Applies blocks under a new lease for longer than its time. @returns the outcomes, and the state of the lease; `null` if a stall
 * left the lease without a block for all of its time, because then it was right to run out.
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

/** How often the remaining time of a lease is read: at least one read is not delayed. */
const looks = 5;
const agedMs = 300;
const roundingMs = 10;

/** The earliest and the latest time at which the lease can end, computed from its remaining time. */
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

/** The call must not move the end of a lease that has used up some of its time. */
async function assertNotRenewed(leases: LeaseStore, call: () => Promise<unknown>): Promise<void> {
  const [, latest] = await endOf(leases);
  const agedAtMs = performance.now() + agedMs;
  await untilTrue('some of the time is over', () => performance.now() >= agedAtMs);
  await call();
  const [earliest] = await endOf(leases);
  assert.ok(earliest <= latest + roundingMs);
}

/** The call must renew a lease that has used up some of its time. */
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
        assert.equal((await store.rollback(target ?? 'origin', { lease })).kind, 'rolled-back'),
      );
  },
  'X6/renewing: blocks that are applied renew the lease': async (all, context) => {
    let became = await outlived(context, all, renewedTtlMs);
    for (; became === null; became = await outlived(context, all, renewedTtlMs)) await untilFree(all.leases);
    assert.deepEqual(became, { kinds: ['applied'], isHeld: true });
    await untilFree(all.leases);
  },
  'X6/renewing-is-no-beat: a block renews the time of the lease, but does not change its seq': async (
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
  'X6/unmoved-renews-nothing: a call that does not move the tip does not renew the lease': async (
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
  'X6/sightings: the inclusions of a fenced block do not count for later receives': async (
    { pool, store, leases },
    context,
  ) => {
    const lease = onlyLease(await win(context, leases));
    const [fencedTx, seenTx] = [pool.transaction(), pool.transaction()];
    const parent = point(2).hash;
    await store.confirm({ point: forkPoint(3), parent, seen: [fencedTx.hash], unseen: [] });
    await store.confirm({ point: point(3), parent, seen: [seenTx.hash], unseen: [] }, {}, { lease });
    const outcomes = await store.receive([fencedTx, seenTx]);
    assert.deepEqual(
      outcomes.map((one) => one.kind === 'received' && one.stage),
      ['Pending', 'Confirmed'],
    );
    assert.deepEqual(await pool.stages(fencedTx.hash, seenTx.hash), ['Pending', 'Confirmed']);
  },
  'X6/other-verbs: every other verb works, whoever leads': async ({ pool, store, leases, hash }, context) => {
    await win(context, leases);
    const one = pool.transaction();
    assert.equal((await store.receive([one]))[0]?.kind, 'received');
    assert.deepEqual(await pool.mark(one.hash), [one.hash]);
    assert.deepEqual(await pool.acknowledge(one.hash), [one.hash]);
    assert.deepEqual(await pool.release(one.hash, hash), [one.hash, hash]);
    assert.deepEqual(await pool.drop(one.hash), [one.hash]);
  },
});

/** Cases of X6: outcomes, operation ids, and the lease that a call renews. */
export const fencedAnswerCases: readonly ConformanceCase[] = [...repeating, ...keeping, ...blocks];
