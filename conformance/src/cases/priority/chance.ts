import assert from 'node:assert/strict';
import { poolState } from 'mempool-core/backend';
import { perform } from '../../case/call.ts';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { mustRank } from '../../case/must.ts';
import { openScene } from '../../scenario/priority.ts';
import { assertConsistent } from '../../scenario/priority-consistency.ts';
import { makeCalls } from '../../scenario/priority-traffic.ts';

/** Random calls. After each, all indexes must agree, and no admission may exceed a limit. */
async function agree(context: CaseContext): Promise<void> {
  const { store, clock } = await openScene(context, { maxTxs: 30, maxParked: 6, maxPerSender: 10, maxRollback: 6 });
  for (const [i, call] of makeCalls(context.random, 250).entries()) {
    clock.nowMs += 10;
    const before = (await poolState(store)).totals;
    await perform(store, call);
    if (i % 9 === 0) await store.take({ maxTxs: 2 }, { owner: 'o', claimMs: 100 });
    if (i % 7 === 0) await store.sweep();
    const dump = await poolState(store);
    assertConsistent(dump);
    if (call.verb === 'receive') assert.ok(dump.totals.transactions <= Math.max(30, before.transactions));
    assert.deepEqual(
      (await store.reap()).map(({ hash }) => hash),
      dump.order.slice(0, dump.order.length - dump.totals.parked),
    );
  }
}

export const chanceCases: readonly ConformanceCase[] = [
  mustRank(
    'P1/chance',
    'after each of many random calls, order keys, order, tags, senders, claims and totals agree with the entries',
    agree,
  ),
];
