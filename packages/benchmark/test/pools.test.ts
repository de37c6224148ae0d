import { describe, expect, onTestFinished, test } from 'vitest';
import { type Reaper, reaperBeside, reaperHere } from '../src/goals/reaping.ts';
import { freshTransactions, hashesOf, pricedTransactions, Stored } from '../src/setup/samples.ts';
import { loadSubject, subjectPath } from '../src/setup/subject.ts';
import { checkAdmitted, FilledPool } from '../src/workloads/pools.ts';

async function filled(name: 'ephemeral' | 'sqlite', n: number): Promise<FilledPool> {
  const pool = new FilledPool(await loadSubject(subjectPath(name)), n, 'priority');
  onTestFinished(() => pool.close());
  return pool.fill();
}

describe('the stored hashes', () => {
  const transactions = freshTransactions(30);
  const hashes = hashesOf(transactions);
  const stored = new Stored(30);
  stored.add(transactions);

  test('are handed out from all over, different ones each time, and all where more are asked for', () => {
    const [first, second] = [stored.some(10), stored.some(10)];
    expect(new Set(first).size).toBe(10);
    expect(hashes).toEqual(expect.arrayContaining([...first, ...second]));
    expect(second).not.toEqual(first);
    expect(stored.some(100)).toEqual(hashes);
  });

  test('can be had in their order from a place that leaves room for as many', () => {
    for (let i = 0; i < 5; i++) {
      const place = stored.place(12);
      expect(stored.run(place, 12)).toEqual(hashes.slice(place, place + 12));
      expect(place + 12).toBeLessThanOrEqual(30);
    }
  });
});

describe('a pool filled by priority', () => {
  test('has distinct priorities, and nothing in the order of its arrival', async () => {
    const candidates = await (await filled('ephemeral', 200)).store.reap();
    expect(new Set(candidates.map(({ priority }) => priority)).size).toBe(200);
    const seqs = candidates.map(({ seq }) => seq);
    expect(seqs).not.toEqual(seqs.toSorted((a, b) => a - b));
  });

  test('admits every newcomer that is made for it while full, each in place of the worst, turn after turn', async () => {
    const pool = await filled('ephemeral', 40);
    const order = async () => hashesOf(await pool.store.reap());
    await pool.store.setLimits({ maxTxs: 40 });
    for (let turn = 0; turn < 5; turn++) {
      const before = await order();
      const newcomers = await pool.better(10);
      checkAdmitted(await pool.store.receive(newcomers));
      pool.replaced(newcomers);
      expect((await order()).toSorted()).toEqual([...before.slice(0, 30), ...hashesOf(newcomers)].toSorted());
    }
    // More than half would have to beat each other.
    expect(await pool.better(100)).toHaveLength(20);
    await pool.store.setLimits({ maxTxs: 40, eviction: 'none' });
    const refused = await pool.store.receive(pricedTransactions(1));
    expect(() => checkAdmitted(refused)).toThrow(Error);
  });
});

describe('endless reaping', () => {
  async function reapsWhile(reaper: Reaper, work: () => Promise<unknown>): Promise<number> {
    await reaper.reap();
    for (let i = 0; i < 20; i++) await work();
    return reaper.rest();
  }

  test('happens in every turn of the event loop where it has the same process', async () => {
    const pool = await filled('ephemeral', 20);
    const turn = () => new Promise(setImmediate);
    expect(await reapsWhile(reaperHere(pool.store, 10), turn)).toBeGreaterThanOrEqual(19);
  });

  test('happens in a process of its own on the same pool, until it rests', async () => {
    const pool = await filled('sqlite', 20);
    const reaper = await reaperBeside(subjectPath('sqlite'), pool.name, 10);
    onTestFinished(async () => void (await reaper.end()));
    expect(await reapsWhile(reaper, () => pool.store.receive([]))).toBeGreaterThan(0);
    await reaper.end();
    await expect(reaper.reap()).rejects.toThrow(Error);
  });
});
