import { expect, test } from 'vitest';
import { checkVerdict } from '../../src/boundary/verdicts.ts';
import { defaultLimits } from '../../src/contract/limits.ts';
import type { OrderKey } from '../../src/contract/order-key.ts';
import type { ReceiveOutcome } from '../../src/contract/store.ts';
import type { Verdict } from '../../src/contract/verdict.ts';
import { admitStep } from '../../src/priority/admission.ts';
import { dumpOf } from '../../src/priority/dump.ts';
import { PoolIndex } from '../../src/priority/pool-index.ts';
import type { PoolNode } from '../../src/priority/pool-node.ts';
import { PriorityPool } from '../../src/priority/priority-pool.ts';
import type { Planning } from '../../src/priority/step-builder.ts';
import type { Step } from '../../src/rules/step.ts';

class FailingIndex extends PoolIndex {
  fails = false;

  override place(node: PoolNode, place: OrderKey): void {
    if (this.fails) throw new RangeError('out of memory');
    super.place(node, place);
  }
}

function receiving(submissions: Readonly<Record<string, Verdict>>): (pool: Planning) => Step<ReceiveOutcome[]> {
  const all = Object.entries(submissions).map(([hash, verdict]) => {
    return { hash, payload: Buffer.alloc(1), payloadType: 0, verdict: checkVerdict('verdict', verdict), from: null };
  });
  return (pool) => admitStep(pool, all, { nowMs: 0, height: 0 }, { finalizeThreshold: 1, dropThreshold: 1 });
}

test.each([
  ['planned', (pool: PriorityPool, run: (on: Planning) => Step<unknown>): unknown => pool.plan(run)],
  ['kept', (pool: PriorityPool, run: (on: Planning) => Step<unknown>): unknown => pool.commit(run, (step) => step)],
])(
  'a fault in the middle of a transaction that is tried leaves the pool as it was before the call is %s',
  (_, call) => {
    const index = new FailingIndex(defaultLimits);
    const retention = { maxFinalized: 10, maxEvents: 10, maxRollback: 10 };
    const pool = new PriorityPool({ epoch: 'made once', retention, limits: {}, index });
    pool.commit(receiving({ a1: { provides: ['tag'] }, a2: {} }), (step) => step);
    const before = dumpOf(index);
    index.fails = true;
    expect(() => call(pool, receiving({ b1: { priority: 2n }, b2: { requires: ['tag'] } }))).toThrow(RangeError);
    index.fails = false;
    expect(dumpOf(index)).toEqual(before);
    const told = pool.commit(receiving({ b2: { requires: ['tag'] } }), (step) => step);
    expect(told).toEqual([{ kind: 'received', hash: 'b2', seq: 3, stage: 'Pending' }]);
  },
);
