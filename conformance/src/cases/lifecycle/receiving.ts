import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnPool } from '../../scenario/on-pool.ts';
import { plainStatus, point, withoutFacts } from '../../scenario/pool.ts';

const onePool = eachOnPool({
  'L1/seq-told: the seq of the outcome is the seq of the record': async (pool, store) => {
    const outcomes = await store.receive(pool.transactions(4));
    const seqs = outcomes.map((outcome) => (outcome.kind === 'received' ? outcome.seq : null));
    assert.deepEqual(
      (await store.peekPending()).transactions.map(({ seq }) => seq),
      seqs,
    );
  },
  'L2/racing: of two racing receives of one hash one is received, the other is a duplicate': async (pool, store) => {
    const one = pool.transaction();
    const racing = await Promise.all([store.receive([one]), store.receive([one])]);
    assert.deepEqual(
      racing
        .flat()
        .map(({ kind }) => kind)
        .sort(),
      ['duplicate', 'received'],
    );
    assert.equal((await store.usage()).pending, 1);
  },
});

export const receivingCases: readonly ConformanceCase[] = [...onePool];

const revivalOnePool = eachOnPool({
  'L7/dropped-seen: a Dropped transaction that a block carries is Confirmed by that block': async (pool) => {
    const hash = await pool.receiveOne();
    await pool.drop(hash);
    await pool.block(1, { seen: [hash] });
    assert.deepEqual(withoutFacts(await pool.status(hash)), {
      ...plainStatus(hash, 'Confirmed'),
      confirmations: 1,
      confirmedAt: point(1),
    });
  },
});

export const revivalCases: readonly ConformanceCase[] = [...revivalOnePool];
