import assert from 'node:assert/strict';
import { perform } from '../../case/call.ts';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { mustRank } from '../../case/must.ts';
import { checkPriorityHistory } from '../../histories/priority/history.ts';
import { openScene } from '../../scenario/priority.ts';
import { assertConsistent } from '../../scenario/priority-consistency.ts';
import { makeCalls } from '../../scenario/priority-traffic.ts';

/** Calls of chance, after each of which all indexes agree and no limit is exceeded by an admission. */
async function agree(context: CaseContext): Promise<void> {
  const { store, clock } = await openScene(context, { maxTxs: 30, maxParked: 6, maxPerSender: 10, maxRollback: 6 });
  for (const [i, call] of makeCalls(context.random, 250).entries()) {
    clock.nowMs += 10;
    const before = (await store.dump()).totals;
    await perform(store, call);
    if (i % 9 === 0) await store.take({ maxTxs: 2 }, { owner: 'o', claimMs: 100 });
    if (i % 7 === 0) await store.sweep();
    const dump = await store.dump();
    assertConsistent(dump);
    if (call.verb === 'receive') assert.ok(dump.totals.transactions <= Math.max(30, before.transactions));
    assert.deepEqual(
      (await store.reap()).map(({ hash }) => hash),
      dump.order.slice(0, dump.order.length - dump.totals.parked),
    );
  }
}

export const chanceCases: readonly ConformanceCase[] = [1, 2, 3, 4].map((n) =>
  mustRank(
    `P1/chance-${n}`,
    'after each of many calls of chance, places, order, tags, senders, leases and totals say what the entries say',
    agree,
  ),
);

const steps = 300;

/** Cases with random calls to priority pools, for faults that only a combination of rules shows. */
export const priorityHistoryCases: readonly ConformanceCase[] = [
  {
    id: 'history/priority',
    level: 'MUST',
    rule: 'history',
    title: `a history of ${steps} calls of chance in a priority pool has the outcomes, events and state that the rules give, after every call`,
    since: '0.1.0',
    needs: ['priority'],
    run: ({ openOther, random, signal }) =>
      checkPriorityHistory({ seed: random.uint32(), steps, open: openOther, signal }),
  },
];
