import assert from 'node:assert/strict';
import type { ConfirmOutcome, Lease, RollbackOutcome } from 'mempool-core';
import type { HeldLease, LeaseStore } from 'mempool-election';
import type { CaseContext, ConformanceCase } from '../case/case.ts';
import { apart, type EachOf, eachOf, eachRow, mustFence } from '../case/must.ts';
import type { TestedPool } from '../case/tested-pool.ts';
import { newCampaign, win } from './lease.ts';
import { openPool } from './on-pool.ts';
import { never, type Pool, point } from './pool.ts';

export const nothing = { seen: [], unseen: [] } as const;

/** A pool with blocks 1 and 2 and a propagated transaction, and its election. */
export interface Scene {
  readonly pool: Pool;
  readonly store: TestedPool;
  readonly leases: LeaseStore;
  readonly hash: string;
}

async function scene(context: CaseContext): Promise<Scene> {
  const [pool, leases] = [await openPool(context), await context.leases()];
  const hash = await pool.propagateOne();
  await pool.blocks(1, 2, never);
  return { pool, store: pool.store, leases, hash };
}

export type WriteUnderLease = { readonly lease?: Lease; readonly operationId?: string };

/** Both verbs that only the leader may use, each with an effect on a scene. */
export interface LeaderVerb {
  readonly verb: 'confirm' | 'rollback';
  readonly applied: 'applied' | 'rolled-back';
  call(scene: Scene, options?: WriteUnderLease): Promise<ConfirmOutcome | RollbackOutcome>;
}

const confirming: LeaderVerb = {
  verb: 'confirm',
  applied: 'applied',
  call: ({ store, hash }, options) =>
    store.confirm({ point: point(3), parent: point(2).hash, seen: [hash], unseen: [] }, {}, options),
};
const rollingBack: LeaderVerb = {
  verb: 'rollback',
  applied: 'rolled-back',
  call: ({ store }, options) => store.rollback(point(1), options),
};
export const leaderVerbs: readonly LeaderVerb[] = [confirming, rollingBack];

export async function whole({ pool, store, hash }: Scene): Promise<unknown> {
  return [await pool.snapshot(), await pool.stages(hash), await pool.events(), await store.tip({ points: 9 })];
}

/** The call must be answered `fenced` with the tip, and change nothing. */
export async function assertFenced(all: Scene, { call }: LeaderVerb, options?: WriteUnderLease): Promise<void> {
  const before = await whole(all);
  assert.deepEqual(await call(all, options), { kind: 'fenced', tip: { point: point(2), tick: 2 } });
  assert.deepEqual(await whole(all), before);
}

export function onlyLease({ nodeId, token, term }: Lease): Lease {
  return { nodeId, token, term };
}

export async function succeeded(context: CaseContext, { leases }: Scene): Promise<readonly [HeldLease, HeldLease]> {
  const lease = await win(context, leases);
  const takeover = { token: lease.token, seq: lease.seq };
  const reply = await leases.campaign(newCampaign(context.random, { takeover, floor: lease.term }));
  assert.ok(reply.kind === 'won');
  return [lease, reply.lease];
}

/** A case that runs with each of the two verbs, each on a pool of its own. */
export function forBoth(
  name: string,
  title: string,
  run: (all: Scene, verb: LeaderVerb, context: CaseContext) => Promise<void>,
): ConformanceCase {
  return mustFence(`X6/${name}`, title, (context) =>
    eachRow(
      leaderVerbs,
      ({ verb }) => verb,
      async (one) => {
        const own = apart(context);
        await run(await scene(own), one, own);
      },
    ),
  );
}

/** A case about a scene. */
function onScene(id: string, title: string, run: (all: Scene, context: CaseContext) => Promise<void>): ConformanceCase {
  return mustFence(id, title, async (context) => run(await scene(context), context));
}

export const eachFenced: EachOf<(all: Scene, context: CaseContext) => Promise<void>> = eachOf(onScene);
