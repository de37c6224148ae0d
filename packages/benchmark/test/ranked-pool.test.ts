import { describe, expect, onTestFinished, test } from 'vitest';
import { loadSubject } from '../src/backends/subject.ts';
import { subjectPaths } from '../src/runner/context.ts';
import { Admission, RankedPool } from '../src/workloads/ranked-pool.ts';
import { pricedTransactions } from '../src/workloads/ranked-sample.ts';
import { batches, hashesOf } from '../src/workloads/sample.ts';

async function filled(n: number): Promise<RankedPool> {
  const pool = new RankedPool(await loadSubject(subjectPaths.ephemeral), n);
  onTestFinished(() => pool.close());
  await pool.fill(n, 'pending');
  return pool;
}

/** All of it, best first. */
async function order({ store }: RankedPool): Promise<string[]> {
  return (await store.reap()).map(({ hash }) => hash);
}

describe('a pool filled by priority', () => {
  test('has distinct priorities, and nothing in the order of its arrival', async () => {
    const pool = await filled(200);
    const candidates = await pool.store.reap();
    expect(new Set(candidates.map(({ priority }) => priority)).size).toBe(200);
    const seqs = candidates.map(({ seq }) => seq);
    expect(seqs).not.toEqual(seqs.toSorted((a, b) => a - b));
  });

  test('takes in every newcomer made for it while full, each in the place of the worst, time after time', async () => {
    const pool = await filled(40);
    await pool.store.setLimits({ maxTxs: 40 });
    for (let turn = 0; turn < 5; turn++) {
      const before = await order(pool);
      const newcomers = await pool.better(10);
      const admission = new Admission();
      await admission.run(pool, batches(newcomers, 3));
      pool.replaced(newcomers);
      admission.check();
      const after = await order(pool);
      expect(after).toHaveLength(40);
      expect(after.toSorted()).toEqual([...before.slice(0, 30), ...hashesOf(newcomers)].toSorted());
    }
  });

  test('gets newcomers for half of it at the most: more would have to beat each other', async () => {
    const pool = await filled(10);
    expect(await pool.better(100)).toHaveLength(5);
  });
});

describe('an admission', () => {
  test('fails afterwards where one was refused', async () => {
    const pool = await filled(4);
    await pool.store.setLimits({ maxTxs: 4, eviction: 'none' });
    const admission = new Admission();
    await admission.run(pool, [pricedTransactions(1)]);
    expect(() => admission.check()).toThrow(Error);
  });
});
